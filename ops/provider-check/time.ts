import { setTimeout as pause } from 'node:timers/promises'
import { Broken, NotTested, rules } from './broken.ts'
import type { Obligation, Order, Run } from './run.ts'

const kinds = ['payment', 'refund'] as const
/** More than a clock may be off. */
const offSeconds = 40
/** How long an order is valid whose copy arrives later, and how long to wait for that. */
const copySeconds = 4
const waitSeconds = copySeconds + 2
const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1000)

async function make(run: Run, kind: (typeof kinds)[number], validForSeconds: number): Promise<Order> {
  const paid = kind === 'payment' ? null : await run.paid()
  const validUntil = inSeconds(validForSeconds)
  return paid === null
    ? run.payment('succeeded', { validUntil })
    : run.refund(paid, { amount: 5, fee: 0, validUntil })
}

export const timeObligations: Obligation[] = [
  ...kinds.flatMap((kind): Obligation[] => [
    {
      id: `${kind}-expired`,
      title: `A ${kind} that arrives after its \`validUntil\` gets 410 \`expired\`, and is never carried out`,
      rule: rules.expired,
      forRefunds: kind === 'refund',
      async run(run) {
        const order = await make(run, kind, -offSeconds)
        await run.finish(order, 'expired')
        await run.expectUnknown(order)
        await run.finish(order, 'expired')
        await run.expectUnknown(order)
      },
    },
    {
      id: `${kind}-copy-expired`,
      title: `A copy of a ${kind} that arrives after its \`validUntil\` gets the outcome`,
      rule: rules.copyExpired,
      forRefunds: kind === 'refund',
      async run(run) {
        const order = await make(run, kind, copySeconds + (lastClockOffMs(run) ?? 0) / 1000)
        const { status } = await run.submit(order)
        if (status === 'expired') throw new NotTested('the provider’s clock is ahead')
        await run.settled(order)
        await pause(waitSeconds * 1000)
        await run.submit(order)
      },
    },
  ]),
  {
    id: 'clock',
    title: 'The clock is right within 30 s',
    rule: rules.clock,
    async run(run) {
      await run.finish(run.payment('succeeded', { validUntil: inSeconds(offSeconds) }), 'succeeded')
      await run.finish(run.payment('succeeded', { validUntil: inSeconds(-offSeconds) }), 'expired')
      const offMs = lastClockOffMs(run)
      if (offMs === null) return 'no Date header was sent'
      if (Math.abs(offMs) > 31_000) throw new Broken(`The Date header is ${Math.round(offMs / 1000)} s off`)
    },
  },
]

const lastClockOffMs = ({ replies }: Run): number | null =>
  replies.findLast(({ clockOffMs }) => clockOffMs !== null)?.clockOffMs ?? null

import { Broken, NotTested, rules } from './broken.ts'
import { newKey, type Obligation, type Order, type Run } from './run.ts'

const rule = rules.notRefunded
/** The service handles both alike, but after a 4xx it has to query the outcome. */
const notRefunded = ['failed', 'declined']
const forRefunds = true

export const refundObligations: Obligation[] = [
  {
    id: 'refund-parts',
    title: 'A payment can be refunded in parts, with parts of its fee, and by no centime more',
    rule,
    forRefunds,
    async run(run) {
      const paid = await run.paid()
      const part = { amount: Math.floor(paid.amount * 0.4), fee: Math.floor(paid.fee * 0.4) }
      await run.finish(run.refund(paid, part), 'succeeded')
      await run.finish(run.refund(paid, { fee: 0 }), ...notRefunded)
      const rest = { amount: paid.amount - part.amount, fee: paid.fee - part.fee }
      await run.finish(run.refund(paid, rest), 'succeeded')
      await run.finish(run.refund(paid, { amount: 1, fee: 0 }), ...notRefunded)
      await run.look(paid)
    },
  },
  {
    id: 'refund-whole',
    title: 'A whole refund returns the amount and the fee, and the payment stays `succeeded`',
    rule: rules.refund,
    forRefunds,
    async run(run) {
      const paid = await run.paid()
      await run.finish(run.refund(paid), 'succeeded')
      await run.look(paid)
      await run.submit(paid)
    },
  },
  {
    id: 'refund-too-much',
    title: 'A refund of more than the amount or the fee of its payment moves nothing',
    rule,
    forRefunds,
    async run(run) {
      const paid = await run.paid()
      await run.finish(run.refund(paid, { amount: paid.amount + 1, fee: 0 }), ...notRefunded)
      await run.finish(run.refund(paid, { amount: 1, fee: paid.fee + 1 }), ...notRefunded)
      await run.finish(run.refund(paid), 'succeeded')
    },
  },
  {
    id: 'refund-concurrent',
    title: 'Of two whole refunds at the same time, only one succeeds',
    rule,
    forRefunds,
    async run(run) {
      for (let round = 0; round < 3; round += 1) await refundTwice(run, await run.paid())
    },
  },
  {
    id: 'refund-unknown-payment',
    title: 'A refund of a payment that does not exist or took no money moves nothing',
    rule,
    forRefunds,
    async run(run) {
      const paid = await run.paid()
      await run.finish(run.refund({ ...paid, key: newKey() }), ...notRefunded)
      const unpaid = run.orders.find(({ kind, final }) => kind === 'payment' && final?.status === 'refused')
      if (unpaid === undefined) throw new NotTested('no payment of the scenario was refused')
      await run.finish(run.refund(unpaid), ...notRefunded)
    },
  },
]

async function refundTwice(run: Run, paid: Order): Promise<void> {
  const refunds = [run.refund(paid), run.refund(paid)]
  const ends = await Promise.allSettled(
    refunds.map((refund) => run.finish(refund, ...notRefunded, 'succeeded')),
  )
  const done = refunds.flatMap(({ final }) => (final?.status === 'succeeded' ? [final.reply] : []))
  if (done.length > 1) throw new Broken('Both refunds succeeded', done[1])
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  if (done.length === 0) throw new Broken('Neither refund succeeded', refunds[0]?.final?.reply, rules.refund)
}

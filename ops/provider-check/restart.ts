import { setTimeout as pause } from 'node:timers/promises'
import { Broken, NotTested, rules } from './broken.ts'
import type { Reply } from './requests.ts'
import { newKey, type Obligation, type Order, type Run } from './run.ts'

const inFlight = 8
const everyMs = 30
const readyWithinMs = 60_000

export const restartObligations: Obligation[] = [
  {
    id: 'restart',
    title:
      'After a restart, finished and pending requests keep their outcomes, and none is carried out again',
    rule: rules.once,
    async run(run) {
      if (run.restart === null) throw new NotTested('no `--restart` command was given')
      const finished = await run.paid()
      const refused = run.hasWallet('wrong_pin') ? await run.wrongPin() : null
      const names = (['pending_then_succeeded', 'pending_then_failed'] as const).filter(run.hasWallet)
      const pending = names.map((name) => run.payment(name))
      for (const order of pending) await run.submit(order)
      const sent = Array.from({ length: inFlight }, () => run.payment('succeeded'))
      if (run.hasWallet('slow')) sent.unshift(run.payment('slow'))
      // While the provider is down, `balance` may fail.
      for (const { phone } of sent) await run.noteBalance(phone)
      const sending = Promise.all(
        sent.map((order, index) => pause(index * everyMs).then(() => run.send(order))),
      )
      const restarting = restartProvider(run, run.restart)
      await Promise.allSettled([restarting, sending])
      const [wasDown, replies] = await Promise.all([restarting, sending])
      await run.paid()
      for (const order of [finished, ...(refused === null ? [] : [refused])]) {
        await run.look(order)
        await run.submit(order)
      }
      for (const order of pending) await run.settled(order)
      for (const [index, order] of sent.entries()) await resend(run, order, replies[index])
      const open = sent.filter(({ final }) => final === null).length
      const never = 'the provider never stopped responding: did `--restart` restart it?'
      // Only a timeout is no sign of it.
      const isCut = replies.some(({ fault }) => fault !== null && !fault.startsWith('no response'))
      const remarks = [
        ...(wasDown || isCut ? [] : [never]),
        ...(open === 0 ? [] : [`${open} of ${sent.length} requests had no final outcome after the restart`]),
      ]
      return remarks.length === 0 ? undefined : remarks.join('; ')
    },
  },
]

/** It may have arrived before the restart, whose outcome is any that stays the same. */
async function resend(run: Run, order: Order, reply: Reply | undefined): Promise<void> {
  order.mayStayPending = true
  if (reply?.status === 200) run.note(order, run.read(order, reply))
  const { status } = await run.look(order)
  // A slow copy may get no response.
  if (status === 'unknown') await run.send(order)
  await run.settled(order)
  await run.submit(order)
}

/** Returns whether the provider was down meanwhile. */
async function restartProvider(run: Run, restart: () => Promise<void>): Promise<boolean> {
  const command = { failure: null as string | null, endedAt: Infinity }
  void restart()
    .catch(({ message }: Error) => (command.failure = message))
    .finally(() => (command.endedAt = Date.now()))
  const probe = { kind: 'payment', key: newKey() } as const
  for (let wasDown = false; ; await pause(everyMs)) {
    const startedAt = Date.now()
    const reply = await run.query(probe)
    const isReady = reply.status !== null && reply.status < 500
    wasDown ||= !isReady
    if (command.failure !== null) throw new NotTested(`\`--restart\` failed: ${command.failure}`)
    if (isReady && startedAt > command.endedAt) return wasDown
    if (startedAt > command.endedAt + readyWithinMs)
      throw new Broken(`Not ready ${readyWithinMs / 1000} s after the restart`, reply)
  }
}

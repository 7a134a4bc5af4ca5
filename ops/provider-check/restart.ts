import { setTimeout as pause } from 'node:timers/promises'
import type { Reply } from './requests.ts'
import { Broken, NotTested, type Obligation, type Order, type Run } from './run.ts'

const inFlight = 8
const everyMs = 30
const readyWithinMs = 60_000

export const restartObligations: Obligation[] = [
  {
    id: 'restart',
    title:
      'After a restart, finished and pending requests keep their outcomes, and none is carried out again',
    rule: 'Carry out each request at most once, even if copies arrive days later.',
    async run(run) {
      if (run.restart === null) throw new NotTested('no `--restart` command was given')
      const finished = await run.paid()
      const refused = run.hasWallet('wrong_pin') ? await run.wrongPin() : null
      const names = (['pending_then_succeeded', 'pending_then_failed'] as const).filter(run.hasWallet)
      const pending = names.map((name) => run.payment(name))
      for (const order of pending) await run.submit(order)
      const sent = Array.from({ length: inFlight }, () => run.payment('succeeded'))
      if (run.hasWallet('slow')) sent.unshift(run.payment('slow'))
      const restarting = run.restart()
      const replies = await Promise.all(
        sent.map((order, index) => pause(index * everyMs).then(() => run.send(order))),
      )
      await restarting
      await becomeReady(run)
      await run.paid()
      for (const order of [finished, ...(refused === null ? [] : [refused])]) {
        await run.look(order)
        await run.submit(order)
      }
      for (const order of pending) await run.settled(order)
      for (const [index, order] of sent.entries()) await resend(run, order, replies[index])
      const open = sent.filter(({ final }) => final === null).length
      return open === 0 ? undefined : `${open} requests stay pending after the restart`
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

async function becomeReady(run: Run): Promise<void> {
  const endsAt = Date.now() + readyWithinMs
  const probe = run.payment('succeeded')
  for (;;) {
    const reply = await run.query(probe)
    if (reply.status === 404) return
    if (Date.now() > endsAt) throw new Broken(`Not ready ${readyWithinMs / 1000} s after the restart`, reply)
    await pause(100)
  }
}

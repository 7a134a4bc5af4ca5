import { Broken, NotTested, newKey, type Obligation, type Order, type Run } from './run.ts'

const rule = 'If it can no longer be refunded, return `failed`'
const returned = 'Return `amount` + `fee` to the payer of `paymentKey`'
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
      await run.expectRefused(run.refund(paid, { fee: 0 }))
      const rest = { amount: paid.amount - part.amount, fee: paid.fee - part.fee }
      await run.finish(run.refund(paid, rest), 'succeeded')
      await run.expectRefused(run.refund(paid, { amount: 1, fee: 0 }))
      await run.look(paid)
    },
  },
  {
    id: 'refund-whole',
    title: 'A whole refund returns the amount and the fee, and the payment stays `succeeded`',
    rule: returned,
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
      await run.expectRefused(run.refund(paid, { amount: paid.amount + 1, fee: 0 }))
      await run.expectRefused(run.refund(paid, { amount: 1, fee: paid.fee + 1 }))
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
      await run.expectRefused(run.refund({ ...paid, key: newKey() }))
      const unpaid = run.orders.find(({ kind, final }) => kind === 'payment' && final?.status === 'refused')
      if (unpaid === undefined) throw new NotTested('no payment of the scenario was refused')
      await run.expectRefused(run.refund(unpaid))
    },
  },
]

async function refundTwice(run: Run, paid: Order): Promise<void> {
  const refunds = [run.refund(paid), run.refund(paid)]
  const ends = await Promise.allSettled(refunds.map((refund) => run.expectRefused(refund)))
  const done = refunds.filter(({ final }) => final?.status === 'succeeded').length
  if (done !== 1) {
    const fault = ends.find((end) => end.status === 'rejected')
    const reply = fault?.reason instanceof Broken ? fault.reason.reply : null
    throw new Broken(`${done} of 2 refunds succeeded`, reply)
  }
}

import { groupsOf, repeatedOf, sumOf } from '../groups.ts'
import type { Check } from '../round.ts'

/** Refunds never exceed the payment, neither in MongoDB nor in events. */
export const refundBounded: Check = function* ({ dump, intentOf }) {
  for (const { referenceNumber, refunds, refundsCommitted, payment } of dump.intents) {
    const refunded = sumOf(refunds, ({ amount }) => amount)
    const paid = payment?.amountPaid ?? 0
    if (refunded > paid) yield [referenceNumber, `${refunded} was refunded of ${paid}`]
    if (refundsCommitted !== refunded)
      yield [referenceNumber, `${refundsCommitted} is reserved for refunds of ${refunded}`]
    if (refunds.some(({ amount }) => amount < 1)) yield [referenceNumber, 'has a refund of nothing']
    for (const { id } of repeatedOf(refunds, (refund) => refund.id))
      yield [referenceNumber, `has refund ${id} twice`]
  }
  const events = dump.deliveries.filter(({ event }) => event === 'payment.refunded')
  for (const some of groupsOf(events, (each) => `${each.referenceNumber} ${each.endpointId}`).values()) {
    const intent = intentOf.get(some[0]?.referenceNumber ?? '')
    const reported = sumOf(some, ({ facts }) => facts.refund?.amount ?? 0)
    if (intent !== undefined && reported > intent.refundsCommitted)
      yield [intent.referenceNumber, `an endpoint got events of refunds of ${reported}`]
  }
}

import { groupsOf, sumOf } from '../groups.ts'
import type { Check } from '../round.ts'

/** Refunds and returned fees never exceed those of the payment, neither in MongoDB nor in events. */
export const refundBounded: Check = function* ({ dump, intentOf, broken }) {
  yield* broken('refunds bounded')
  const events = dump.deliveries.filter(({ event }) => event === 'payment.refunded')
  for (const some of groupsOf(events, (each) => `${each.referenceNumber} ${each.endpointId}`).values()) {
    const intent = intentOf.get(some[0]?.referenceNumber ?? '')
    const reported = sumOf(some, ({ facts }) => facts.refund?.amount ?? 0)
    if (intent !== undefined && reported > intent.refundsCommitted)
      yield [intent.referenceNumber, `an endpoint got events of refunds of ${reported}`]
  }
}

import type { Fees, IntentDocument } from '../documents.ts'
import { groupsOf, repeatedOf, sumOf } from '../groups.ts'
import type { Check, Findings } from '../round.ts'

/** Refunds and returned fees never exceed those of the payment, neither in MongoDB nor in events. */
export const refundBounded: Check = function* ({ dump, intentOf }) {
  for (const intent of dump.intents) {
    const { referenceNumber, refunds, refundsCommitted, payment } = intent
    for (const fee of ['providerTtc', 'payerTtc'] as const) yield* returned(intent, fee)
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

/**
 * Each refund gives back its share of a fee, rounded down, but the one that completes the payment gives back the rest.
 * If the wallet refuses a refund, the shares of others may depend on it, so they are not compared.
 */
function* returned(intent: IntentDocument, fee: keyof Fees): Findings {
  const { referenceNumber, payment, refunds, attempts } = intent
  const [paid, total] = [payment?.amountPaid ?? 0, payment?.commission[fee] ?? 0]
  const back = sumOf(refunds, ({ returnedFees }) => returnedFees[fee])
  const isWhole = sumOf(refunds, ({ amount }) => amount) === paid
  if (back > total || (isWhole && back !== total))
    yield [referenceNumber, `gave back ${back} of ${fee} ${total}`]
  const unequal = refunds.filter(
    ({ amount, returnedFees }) => returnedFees[fee] !== Math.floor((total * amount) / paid),
  )
  if (unequal.length > Number(isWhole) && attempts.every(({ kind }) => kind === 'payment'))
    yield [referenceNumber, `refund ${unequal[0]?.id} gave back another share of ${fee}`]
}

import type { IntentDocument } from '../../../invariants/documents.ts'
import { intentsIn, mayBecome, type ShownIntent } from '../responses.ts'
import type { Check, Findings, Round } from '../round.ts'

/** The status of each intent follows from its fields, each transition happened once, and no response is undone. */
export const transitionLegal: Check = function* (round) {
  yield* round.broken('intent status', 'events once')
  yield* acknowledged(round)
}

/** Everything that responses showed is still true at the end. */
function* acknowledged({ calls, intentOf, mayBeCleaned, times }: Round): Findings {
  for (const call of calls) {
    const isSkewed = times.isSkewed(call)
    for (const shown of intentsIn(call)) {
      const intent = intentOf.get(shown.referenceNumber)
      const createdAt = Date.parse(shown.createdAt)
      if (intent === undefined) {
        if (!mayBeCleaned({ sandbox: shown.sandbox, createdAt }))
          yield [shown.referenceNumber, `was in the response to call ${call.call}, and is not stored`]
        continue
      }
      // While clocks jump, one process may show an intent as expired that another still lets a customer pay.
      if (isSkewed && shown.cancellationReason === 'expired') continue
      for (const message of undone(shown, intent))
        yield [shown.referenceNumber, `call ${call.call} (${call.what}) showed ${message}`]
    }
  }
}

function* undone(shown: ShownIntent, intent: IntentDocument): Generator<string> {
  const { status, cancellationReason = null, payment, refund, refunds = [] } = shown
  if (!mayBecome(status, intent.status)) yield `${status}, and it is ${intent.status}`
  if (cancellationReason !== null && cancellationReason !== intent.cancellationReason)
    yield `${cancellationReason}, and it is ${intent.cancellationReason}`
  const isSame =
    payment?.amountPaid === intent.payment?.amountPaid && Date.parse(payment?.paidAt ?? '') === intent.payment?.paidAt
  if (payment && !isSame) yield `a payment of ${payment.amountPaid} that is not there`
  for (const each of [...refunds, ...(refund ? [refund] : [])]) {
    const stored = intent.refunds.find(({ id }) => id === each.id)
    if (each.status === 'SUCCEEDED' && (stored?.status !== 'SUCCEEDED' || stored.amount !== each.amount))
      yield `refund ${each.id} of ${each.amount}, and it is ${stored?.status ?? 'gone'}`
  }
}

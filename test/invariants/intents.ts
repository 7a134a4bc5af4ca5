import type { Check, Findings } from './check.ts'
import type { Fees, IntentDocument } from './documents.ts'
import { repeatedOf, sumOf } from './groups.ts'

const never = 8.64e15

export const intentStatus: Check = function* ({ intents }) {
  for (const intent of intents) {
    const { referenceNumber, status, payment, refunds, failure, hold, cancelsAt, expiresAt } = intent
    const isRefunded = refunds.some((refund) => refund.status === 'SUCCEEDED')
    const isCancelled = intent.cancellationReason !== null
    const isOver = failure !== null && !failure.retryable
    const ofPayment = isRefunded ? 'REFUNDED' : 'PAID'
    const due = payment ? ofPayment : isCancelled ? 'CANCELLED' : isOver ? 'FAILED' : 'PENDING'
    if (status !== due) yield [referenceNumber, `is ${status}, and its fields are those of ${due}`]
    if (payment && isCancelled) yield [referenceNumber, 'is paid and cancelled']
    if (payment && failure !== null) yield [referenceNumber, 'is paid and has a failure']
    if (!payment && refunds.length > 0) yield [referenceNumber, 'was refunded and never paid']
    if (hold && due !== 'PENDING') yield [referenceNumber, `is ${due} and held`]
    const whilePending = hold ? never : expiresAt
    const cancels = due === 'PENDING' ? whilePending : due === 'CANCELLED' ? 0 : null
    if (cancelsAt !== cancels) yield [referenceNumber, `is ${due} and cancels at ${cancelsAt}`]
  }
  for (const field of ['referenceNumber', 'shortCode'] as const)
    for (const intent of repeatedOf(intents, (each) => each[field]))
      yield [intent.referenceNumber, `has the ${field} of another intent`]
}

export const refundsBounded: Check = function* ({ intents }) {
  for (const intent of intents) {
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
}

/** A refused refund may change others' portions, so those aren't compared. */
function* returned(intent: IntentDocument, fee: keyof Fees): Findings {
  const { referenceNumber, payment, refunds, attempts, feesReturned } = intent
  const [paid, total] = [payment?.amountPaid ?? 0, payment?.commission[fee] ?? 0]
  const back = sumOf(refunds, ({ returnedFees }) => returnedFees[fee])
  const isWhole = sumOf(refunds, ({ amount }) => amount) === paid
  if (back > total || (isWhole && back !== total))
    yield [referenceNumber, `gave back ${back} of ${fee} ${total}`]
  if (feesReturned[fee] !== back) yield [referenceNumber, `counts ${feesReturned[fee]} of ${back} ${fee}`]
  const unequal = refunds.filter(
    ({ amount, returnedFees }) => returnedFees[fee] !== Math.floor((total * amount) / paid),
  )
  if (unequal.length > Number(isWhole) && attempts.every(({ kind }) => kind === 'payment'))
    yield [referenceNumber, `refund ${unequal[0]?.id} gave back another share of ${fee}`]
}

import type { DeclineReason, FailureReason } from '../../../schemas/payment-reasons.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../security/ids.ts'
import type { KnownOutcome } from '../../wallets/wallet.ts'
import type { Intent } from '../intent.ts'
import type { TransitionName } from '../lifecycle.ts'
import { lookUpKeysOf, pushLookUpKeys } from '../look-up-keys.ts'
import { applyTransition, type TransitionInput } from '../transition.ts'
import { pushAttempt } from './hold.ts'
import type { Payment, PaymentAttempt, PaymentFailure, PaymentHold } from './payment.ts'

/** The fields that are needed to end a payment. A payment that never held the intent has no `startedAt`. */
export type EndingPayment = Omit<PaymentHold, 'startedAt' | 'validUntil' | 'queryAt' | 'writeId'> &
  Partial<Pick<PaymentHold, 'startedAt'>>
/** The outcomes of a payment that add an event to the intent. */
export type ReportedOutcome = Extract<KnownOutcome, { outcome: 'done' | 'declined' | 'failed' }>

/**
 * Ends a payment that never held the intent, by applying the transition that its outcome requires. The transition takes
 * one write, which also stores the payment's look-up keys. Returns null if the guard does not match.
 */
export const endPayment = (
  deps: Pick<Deps, 'batchers' | 'metrics' | 'now'>,
  intent: Intent,
  payment: EndingPayment,
  outcome: ReportedOutcome,
  by: Pick<TransitionInput, 'marking' | 'cause' | 'guard'>,
  deadlineAt: number,
): Promise<Intent | null> => {
  const attempt = attemptOf(deps.now(), payment, outcome)
  const transition = transitionFor(deps.now(), payment, outcome, attempt)
  const $push = { ...pushAttempt(attempt), ...pushLookUpKeys(lookUpKeysOf(intent, payment)) }
  return applyTransition(deps, intent, { ...transition, lists: { $push }, ...by }, deadlineAt)
}

/** Returns the transition that a payment's outcome requires. */
export function transitionFor(
  at: Date,
  payment: EndingPayment,
  outcome: ReportedOutcome,
  attempt: PaymentAttempt,
): Omit<TransitionInput, 'marking' | 'cause' | 'guard'> {
  const lists = { $push: pushAttempt(attempt) }
  const failing = (name: TransitionName, code: DeclineReason | FailureReason, retryable: boolean) => {
    const failure: PaymentFailure = { code, retryable }
    return { name, lists, set: { hold: null, failure }, eventDetails: { failure } }
  }
  switch (outcome.outcome) {
    case 'done':
      return {
        name: 'pay',
        lists,
        set: { hold: null, failure: null, payment: paymentOf(at, payment), listedAmount: payment.amount },
      }
    case 'declined':
      return failing('decline', outcome.reason, true)
    case 'failed':
      return failing('fail', outcome.reason, false)
  }
}

/** Returns the record of a payment that has just succeeded. */
const paymentOf = (
  paidAt: Date,
  { id, wallet, amount, commission, payerPhone, payerHash }: EndingPayment,
): Payment => ({
  amountPaid: amount,
  paidAt,
  method: 'WALLET',
  payerPhone,
  payerHash,
  commission,
  wallet,
  key: id,
})

/** Returns the record of a payment that has just ended, whatever its outcome. */
export const attemptOf = (
  at: Date,
  { id, amount, commission, payerPhone, payerHash, startedAt }: EndingPayment,
  outcome: KnownOutcome,
): PaymentAttempt => ({
  kind: 'payment',
  id,
  at,
  ...(startedAt === undefined ? {} : { startedAt }),
  amount,
  fee: commission.payerTtc,
  payerPhone,
  payerHash,
  outcome: outcome.outcome,
  reason: 'reason' in outcome ? outcome.reason : null,
  writeId: newId(),
})

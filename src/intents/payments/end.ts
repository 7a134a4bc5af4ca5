import type { DeclineReason, FailureReason } from '../../../schemas/payment-reasons.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../security/ids.ts'
import { commissionOf } from '../../wallets/commission.ts'
import type { KnownOutcome } from '../../wallets/wallet.ts'
import type { Intent } from '../intent.ts'
import type { MoveName } from '../lifecycle.ts'
import { type Step, transition } from '../transition.ts'
import { logged } from './hold.ts'
import type { Payment, PaymentAttempt, PaymentFailure, PaymentHold } from './payment.ts'

/** A payment as far as its end needs to know it. */
export type Ending = Pick<PaymentHold, 'id' | 'wallet' | 'amount' | 'payerPhone'>
/** The outcomes that merchants hear of. */
export type ToldOutcome = Extract<KnownOutcome, { outcome: 'done' | 'declined' | 'failed' }>

/** The write of a payment that ends with something to tell; `by` says whose it is and what must hold. Null when that did not. */
export const endPayment = (
  deps: Pick<Deps, 'Intent' | 'config' | 'metrics' | 'now'>,
  intent: Intent,
  payment: Ending,
  outcome: ToldOutcome,
  by: Pick<Step, 'effectId' | 'cause' | 'guard'>,
): Promise<Intent | null> =>
  transition(deps, intent, { ...endOf(deps, payment, outcome, attemptOf(deps, payment, outcome)), ...by })

/** How a payment ends that merchants hear of. */
export function endOf(
  deps: Pick<Deps, 'config' | 'now'>,
  payment: Ending,
  outcome: ToldOutcome,
  attempt: PaymentAttempt,
): Omit<Step, 'effectId' | 'cause' | 'guard'> {
  const lists = { $push: logged(attempt) }
  const failing = (move: MoveName, code: DeclineReason | FailureReason, retryable: boolean) => {
    const failure: PaymentFailure = { code, retryable }
    return { move, lists, set: { hold: null, failure }, told: { failure } }
  }
  switch (outcome.outcome) {
    case 'done':
      return {
        move: 'pay',
        lists,
        set: { hold: null, failure: null, payment: paymentOf(deps, payment) },
      }
    case 'declined':
      return failing('decline', outcome.reason, true)
    case 'failed':
      return failing('fail', outcome.reason, false)
  }
}

/** What a payment that succeeds now leaves in the intent. */
const paymentOf = (
  deps: Pick<Deps, 'config' | 'now'>,
  { id, wallet, amount, payerPhone }: Ending,
): Payment => ({
  amountPaid: amount,
  paidAt: deps.now(),
  method: 'WALLET',
  payerPhone,
  commission: commissionOf(amount, deps.config.commissionRates),
  wallet,
  key: id,
})

/** What a payment that ends now is remembered as. */
export const attemptOf = (
  deps: Pick<Deps, 'now'>,
  { id, amount, payerPhone }: Ending,
  outcome: KnownOutcome,
): PaymentAttempt => ({
  kind: 'payment',
  id,
  at: deps.now(),
  amount,
  payerPhone,
  outcome: outcome.outcome,
  reason: 'reason' in outcome ? outcome.reason : null,
  mark: newId(),
})

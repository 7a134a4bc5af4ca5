import type { Deps } from '../../deps.ts'
import { commissionOf } from '../../wallets/commission.ts'
import type { DeclineReason, FailureReason, KnownOutcome } from '../../wallets/wallet.ts'
import { expireIntent } from '../expire.ts'
import type { Intent, Payment, PaymentAttempt, PaymentFailure, PaymentUnderWay } from '../intent.ts'
import type { MoveName } from '../lifecycle.ts'
import { nudgeRelay } from '../nudge-relay.ts'
import { transition } from '../transition.ts'
import { logged, releasePayment } from './under-way.ts'

/**
 * Ends a payment under way by what became of it at the wallet, in one write: PAID, FAILED, or PENDING as before, with the event that
 * goes with it. However often and from wherever this is called, it happens once. Answers the intent afterwards, or null when
 * the payment was not under way any more.
 */
export async function settlePayment(
  deps: Deps,
  intent: Intent,
  payment: PaymentUnderWay,
  outcome: KnownOutcome,
): Promise<Intent | null> {
  const settled = await write(deps, intent, payment, outcome)
  if (settled === null) return null
  nudgeRelay(deps, settled)
  deps.log.info(
    { referenceNumber: intent.referenceNumber, ...outcome, status: settled.status },
    'payment.settled',
  )
  // Its expiry waited for this.
  if (settled.expiresAt <= deps.now()) await expireIntent(deps, settled.referenceNumber)
  return settled
}

function write(
  deps: Deps,
  intent: Intent,
  payment: PaymentUnderWay,
  outcome: KnownOutcome,
): Promise<Intent | null> {
  const attempt = attemptOf(deps, payment, outcome)
  const along = { effectId: null, guard: { 'underWay.id': payment.id }, lists: { $push: logged(attempt) } }
  const failing = (move: MoveName, code: DeclineReason | FailureReason, retryable: boolean) => {
    const failure: PaymentFailure = { code, retryable }
    return transition(deps, intent, { move, ...along, set: { underWay: null, failure }, told: { failure } })
  }
  switch (outcome.outcome) {
    case 'done':
      return transition(deps, intent, {
        move: 'pay',
        ...along,
        set: { underWay: null, failure: null, payment: paymentOf(deps, payment) },
      })
    case 'declined':
      return failing('decline', outcome.reason, true)
    case 'failed':
      return failing('fail', outcome.reason, false)
    case 'refused':
    case 'not-executed':
      return releasePayment(deps, intent, attempt)
  }
}

/** What a payment that succeeds now leaves in the intent. */
export const paymentOf = (
  deps: Pick<Deps, 'config' | 'now'>,
  { id, wallet, amount, payerPhone }: Pick<PaymentUnderWay, 'id' | 'wallet' | 'amount' | 'payerPhone'>,
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
  { id, amount, payerPhone }: Pick<PaymentUnderWay, 'id' | 'amount' | 'payerPhone'>,
  outcome: KnownOutcome,
): PaymentAttempt => ({
  id,
  at: deps.now(),
  amount,
  payerPhone,
  outcome: outcome.outcome,
  reason: 'reason' in outcome ? outcome.reason : null,
})

import type { Caller } from '../../businesses/caller.ts'
import { ratesAt } from '../../businesses/commission-rates.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import type { Effect } from '../../idempotency/effect.ts'
import { wakeRelay } from '../../outbox/wake-relay.ts'
import { commissionOf } from '../../wallets/commission.ts'
import { failingPayment } from '../../wallets/magic-amounts.ts'
import { maskPhone } from '../../wallets/phone.ts'
import { findIntent, findIntentToChange } from '../find.ts'
import type { Intent } from '../intent.ts'
import { isFree, isPending, transitions } from '../lifecycle.ts'
import { payerHashOf } from '../look-up-keys.ts'
import { asOf } from '../present.ts'
import { acceptsPayments } from './accepts-payments.ts'
import { endPayment, type ReportedOutcome } from './end.ts'
import type { Simulation } from './parse-simulation.ts'
import type { PaymentAttempt } from './payment.ts'

/**
 * The amount, in centimes, of a simulated payment for an OPEN intent if neither the request nor the intent specifies an
 * amount.
 */
const defaultOpenAmount = 10_000

const technicalError: ReportedOutcome = { outcome: 'failed', reason: 'technical_error' }
const outcomes: Record<Simulation['outcome'], ReportedOutcome> = {
  success: { outcome: 'done' },
  insufficient_funds: { outcome: 'declined', reason: 'insufficient_funds' },
  technical_error: technicalError,
}

/**
 * Simulates a payment for a test intent in one write. The merchant chooses the outcome (SPEC 4.6). Returns the PAID
 * intent. Throws PAYMENT_FAILED if the merchant has chosen a failure. Throws INTENT_NOT_PENDING if the intent cannot be
 * paid, is already being paid, or changes before the write. Throws VALIDATION_ERROR if the amount differs from the
 * intent's amount. Throws SERVICE_UNAVAILABLE if the intent's document has no space for another payment. A retry finds
 * the payment that the first request made, and has the same result, even if the intent has changed since then.
 */
export async function simulatePayment(
  deps: Deps,
  caller: Caller,
  referenceNumber: string,
  simulation: Simulation,
  effect: Effect,
): Promise<Intent> {
  const before = await findIntentToChange(deps, caller, referenceNumber, effect.deadlineAt)
  if (wasMade(before, effect)) return ownEarlierPayment(deps, caller, referenceNumber, effect)
  if (!acceptsPayments(before)) throw refuse('SERVICE_UNAVAILABLE', { retryAfterSeconds: 30 })
  const amount = amountFor(deps, before, simulation)
  const now = deps.now()
  if (before.hold !== null || !isPending(asOf(before, now).status)) throw refuse('INTENT_NOT_PENDING')
  const payerPhone = maskPhone(simulation.payerPhone)
  const payerHash = payerHashOf(deps, simulation.payerPhone)
  const commission = commissionOf(amount, ratesAt(caller.commission, deps.config.commissionRates, now))
  const payer = { payerPhone, payerHash }
  const payment = { id: effect.id, wallet: 'simulation', amount, commission, ...payer } as const
  const outcome = amount === failingPayment ? technicalError : outcomes[simulation.outcome]
  const by = { effectId: effect.id, cause: effect.cause, guard: isFree(now) }
  // The guard and the write use the same time. If they used different times, an expired intent could be paid when the
  // clock is adjusted between the guard and the write.
  const fixed = { ...deps, now: () => now }
  const after = await endPayment(fixed, before, payment, outcome, by)
  if (after === null) return ownEarlierPayment(deps, caller, referenceNumber, effect)
  wakeRelay(deps, after)
  const requestId = effect.cause?.requestId ?? null
  deps.log.info({ referenceNumber, ...outcome, status: after.status, requestId }, 'payment.settled')
  return resultOf(after, effect)
}

function amountFor(
  deps: Pick<Deps, 'config'>,
  { amountType, amount }: Intent,
  { amount: requested }: Simulation,
): number {
  if (amountType === 'FIXED' && requested !== null && requested !== amount)
    throw refuse('VALIDATION_ERROR', {
      param: 'amount',
      message: `amount must be the amount of the payment intent, ${amount}, or be omitted.`,
    })
  return requested ?? amount ?? Math.min(defaultOpenAmount, deps.config.maxAmount)
}

/**
 * Returns the result of the payment that this request has already made. Throws INTENT_NOT_PENDING if this request has
 * not made a payment.
 */
async function ownEarlierPayment(deps: Deps, caller: Caller, referenceNumber: string, effect: Effect): Promise<Intent> {
  const after = await findIntent(deps, caller, referenceNumber, effect.deadlineAt)
  if (!wasMade(after, effect)) throw refuse('INTENT_NOT_PENDING')
  return resultOf(after, effect)
}

/**
 * Returns whether this request has already made its payment. All three fields are checked, because the intent keeps
 * each of them for a different length of time.
 */
const wasMade = ({ effects, payment, attempts }: Intent, { id }: Effect): boolean =>
  effects.includes(id) || payment?.key === id || attempts.some((attempt) => attempt.id === id)

/** Returns the intent if this request paid it. Otherwise, throws PAYMENT_FAILED. */
function resultOf(intent: Intent, effect: Effect): Intent {
  if (intent.payment?.key === effect.id) return intent
  const attempt = intent.attempts.find(({ id }) => id === effect.id)
  throw refuse('PAYMENT_FAILED', attempt === undefined ? {} : { details: failureOf(attempt) })
}

/** Returns the `details` of PAYMENT_FAILED. `status` is the intent's status after the payment. */
function failureOf({ outcome, reason }: PaymentAttempt): Record<string, unknown> {
  const retryable = outcome === 'declined'
  return { status: retryable ? transitions.decline.to : transitions.fail.to, retryable, code: reason }
}

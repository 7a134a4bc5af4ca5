import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import type { Effect } from '../../idempotency/effect.ts'
import { wakeRelay } from '../../outbox/wake-relay.ts'
import { failingPayment } from '../../wallets/magic-amounts.ts'
import { maskPhone } from '../../wallets/phone.ts'
import { findIntent, findIntentToChange } from '../find.ts'
import type { Intent } from '../intent.ts'
import { isFree, isPending, moves } from '../lifecycle.ts'
import { asOf } from '../present.ts'
import { takesPayments } from './accepts-payments.ts'
import { endPayment, type ToldOutcome } from './end.ts'
import type { Simulation } from './parse-simulation.ts'
import type { PaymentAttempt } from './payment.ts'

/** What a customer gives for an OPEN intent when neither the body nor the intent names an amount: 100.00 MRU. */
const openAmount = 10_000

const technicalError: ToldOutcome = { outcome: 'failed', reason: 'technical_error' }
const outcomes: Record<Simulation['outcome'], ToldOutcome> = {
  success: { outcome: 'done' },
  insufficient_funds: { outcome: 'declined', reason: 'insufficient_funds' },
  technical_error: technicalError,
}

/**
 * A test payment that goes as it was asked to, in one write (SPEC 4.6). Answers the PAID intent; throws PAYMENT_FAILED when it failed as
 * asked, INTENT_NOT_PENDING when the intent cannot be paid, is being paid, or somebody was quicker, and VALIDATION_ERROR for an amount
 * that is not the intent's. A retry finds its own payment and answers from it, whatever became of the intent since.
 */
export async function simulatePayment(
  deps: Deps,
  caller: Caller,
  referenceNumber: string,
  asked: Simulation,
  effect: Effect,
): Promise<Intent> {
  const before = await findIntentToChange(deps, caller, referenceNumber, effect.deadlineAt)
  if (wasMade(before, effect)) return ownEarlierPayment(deps, caller, referenceNumber, effect)
  if (!takesPayments(before)) throw refuse('SERVICE_UNAVAILABLE', { retryAfterSeconds: 30 })
  const amount = amountFor(deps, before, asked)
  const now = deps.now()
  if (before.hold !== null || !isPending(asOf(before, now).status)) throw refuse('INTENT_NOT_PENDING')
  const payerPhone = maskPhone(asked.payerPhone)
  const payment = { id: effect.id, wallet: 'simulation', amount, payerPhone } as const
  const outcome = amount === failingPayment ? technicalError : outcomes[asked.outcome]
  const by = { effectId: effect.id, cause: effect.cause, guard: isFree(now) }
  // What is guarded and what is written are of one moment: nothing is paid past its end by a clock that is set in between.
  const then = { ...deps, now: () => now }
  const after = await endPayment(then, before, payment, outcome, by)
  if (after === null) return ownEarlierPayment(deps, caller, referenceNumber, effect)
  wakeRelay(deps, after)
  const requestId = effect.cause?.requestId ?? null
  deps.log.info({ referenceNumber, ...outcome, status: after.status, requestId }, 'payment.settled')
  return answerFrom(after, effect)
}

function amountFor(
  deps: Pick<Deps, 'config'>,
  { amountType, amount }: Intent,
  { amount: asked }: Simulation,
): number {
  if (amountType === 'FIXED' && asked !== null && asked !== amount)
    throw refuse('VALIDATION_ERROR', {
      param: 'amount',
      message: `amount must be the amount of the payment intent, ${amount}, or be omitted.`,
    })
  return asked ?? amount ?? Math.min(openAmount, deps.config.maxAmount)
}

async function ownEarlierPayment(
  deps: Deps,
  caller: Caller,
  referenceNumber: string,
  effect: Effect,
): Promise<Intent> {
  const after = await findIntent(deps, caller, referenceNumber, effect.deadlineAt)
  if (!wasMade(after, effect)) throw refuse('INTENT_NOT_PENDING')
  return answerFrom(after, effect)
}

/** Whether this request made its payment: by any of its traces, as each is remembered for another while. */
const wasMade = ({ effects, payment, attempts }: Intent, { id }: Effect): boolean =>
  effects.includes(id) || payment?.key === id || attempts.some((attempt) => attempt.id === id)

/** The answer of the payment that this request made. */
function answerFrom(intent: Intent, effect: Effect): Intent {
  if (intent.payment?.key === effect.id) return intent
  const attempt = intent.attempts.find(({ id }) => id === effect.id)
  throw refuse('PAYMENT_FAILED', attempt === undefined ? {} : { details: failureOf(attempt) })
}

/** `status` is the intent's after the payment. */
function failureOf({ outcome, reason }: PaymentAttempt): Record<string, unknown> {
  const retryable = outcome === 'declined'
  return { status: retryable ? moves.decline.to : moves.fail.to, retryable, code: reason }
}

import type { DeclineReason, FailureReason } from '../../../schemas/payment-reasons.ts'
import type { PaymentFailure } from '../../outbox/facts.ts'
import { wakeRelay } from '../../outbox/wake-relay.ts'
import type { Deps } from '../../platform/deps.ts'
import { newId } from '../../platform/ids.ts'
import type { Cause } from '../../tracing/tracing.ts'
import type { KnownOutcome } from '../../wallets/wallet.ts'
import { expiryJob } from '../expire.ts'
import type { Intent } from '../intent.ts'
import { isPending, neverCancels, payableFilter, type TransitionName, transitions } from '../lifecycle.ts'
import { lookUpKeysOf, pushLookUpKeys } from '../look-up-keys.ts'
import type { Payment, PaymentAttempt, PaymentHold } from '../records.ts'
import {
  applyTransition,
  type PlannedChange,
  planTransition,
  type TransitionInput,
  writeChange,
} from '../transition.ts'

/** Older ones are dropped. */
const maxAttempts = 50

export const pushAttempt = (attempt: PaymentAttempt) => ({
  attempts: { $each: [attempt], $slice: -maxAttempts },
})

/**
 * Holds an intent for a payment, which keeps other payments, cancels and the expiry away. The status doesn't change.
 * Returns null if the guard doesn't match: the intent isn't PENDING, is about to expire or already held, or this
 * payment has ended before.
 */
export async function beginPayment(
  deps: Pick<Deps, 'batchers' | 'now'>,
  intent: Intent,
  hold: PaymentHold,
  deadlineAt: number,
): Promise<Intent | null> {
  const { businessId, sandbox, _id } = intent
  const begin = {
    filter: {
      businessId,
      sandbox,
      _id,
      status: { $in: transitions.pay.from },
      ...payableFilter(deps.now()),
      'marks.key': { $ne: hold.id },
    },
    update: {
      $set: { hold, cancelsAt: neverCancels },
      // A form makes only one payment, whatever its outcome.
      $push: { marks: { key: hold.id, at: hold.startedAt }, ...pushLookUpKeys(lookUpKeysOf(intent, hold)) },
    },
    proof: { 'hold.writeId': hold.writeId },
  }
  return (await deps.batchers.updateIntent(begin, deadlineAt))
    ? { ...intent, hold, cancelsAt: neverCancels }
    : null
}

/**
 * For an outcome without an event: the intent stays PENDING. If it expired during the payment, the end of the payment
 * counts as the time of the expiry. The guard requires that this payment still holds the intent.
 */
function planRelease(intent: Intent, attempt: PaymentAttempt): PlannedChange {
  const { businessId, sandbox, _id, expiresAt } = intent
  const { id, at } = attempt
  const change = { hold: null, cancelsAt: expiresAt, ...(at > expiresAt ? { updatedAt: at } : {}) }
  return {
    transition: null,
    filter: { businessId, sandbox, _id, 'hold.id': id },
    update: { $set: change, $push: pushAttempt(attempt) },
    after: { ...intent, ...change },
  }
}

export interface Settler {
  /** Null if a job settles the payment. */
  cause: Cause | null
  deadlineAt: number
}

/**
 * Ends a payment with its outcome at the wallet. The intent becomes PAID or FAILED, or stays PENDING; an event, if any,
 * is added by the same write. Runs of this in several processes settle the payment only once. Returns null if it had
 * ended before.
 */
export async function settlePayment(
  deps: Pick<Deps, 'Intent' | 'batchers' | 'enqueue' | 'log' | 'metrics' | 'now'>,
  intent: Intent,
  payment: PaymentHold,
  outcome: KnownOutcome,
  by: Settler,
): Promise<Intent | null> {
  const settled = await write(deps, intent, payment, outcome, by)
  if (settled === null) {
    if (outcome.outcome === 'done') await logIfAstray(deps, intent, payment)
    return null
  }
  wakeRelay(deps, settled)
  const { referenceNumber } = intent
  const requestId = by.cause?.requestId ?? null
  deps.log.info({ referenceNumber, ...outcome, status: settled.status, requestId }, 'payment.settled')
  // The intent expired during the payment. A job can write that, since clients see it as expired already.
  const now = deps.now()
  if (isPending(settled.status) && settled.expiresAt <= now)
    deps.enqueue('intent-expiry', [expiryJob(settled, now)])
  return settled
}

async function write(
  deps: Pick<Deps, 'batchers' | 'metrics' | 'now'>,
  intent: Intent,
  payment: PaymentHold,
  outcome: KnownOutcome,
  { cause, deadlineAt }: Settler,
): Promise<Intent | null> {
  // The payment and its event get the same time: GET /dev/balance relies on that for `asOf`.
  const at = deps.now()
  const attempt = attemptOf(at, payment, outcome)
  const change = isUnreported(outcome)
    ? planRelease(intent, attempt)
    : planTransition({ now: () => at }, intent, {
        ...transitionFor(at, payment, outcome),
        lists: { $push: pushAttempt(attempt) },
        marking: null,
        cause,
        guard: { 'hold.id': payment.id },
      })
  // The relay may have removed the event already, so only the attempt proves the write.
  const after = await writeChange(deps, change, { 'attempts.writeId': attempt.writeId }, deadlineAt)
  return after === null ? null : { ...after, attempts: [...intent.attempts, attempt] }
}

const isUnreported = (outcome: KnownOutcome): outcome is Exclude<KnownOutcome, ReportedOutcome> =>
  outcome.outcome === 'refused' || outcome.outcome === 'not-executed'

/** The wallet took the money after reporting that it never would. We can't refund it: an operator must act. */
async function logIfAstray(
  deps: Pick<Deps, 'Intent' | 'log'>,
  { _id, referenceNumber }: Intent,
  payment: PaymentHold,
): Promise<void> {
  const { id: key, wallet } = payment
  if ((await deps.Intent.exists({ _id, 'payment.key': key })) !== null) return
  deps.log.error({ referenceNumber, key, wallet }, 'payment.astray')
}

/** A payment that never held the intent has no `startedAt`. */
type EndingPayment = Omit<PaymentHold, 'startedAt' | 'validUntil' | 'queryAt' | 'writeId'> &
  Partial<Pick<PaymentHold, 'startedAt'>>
export type ReportedOutcome = Extract<KnownOutcome, { outcome: 'done' | 'declined' | 'failed' }>

/** For a payment that never held the intent: one write, with the look-up keys. Null if the guard doesn't match. */
export const endPayment = (
  deps: Pick<Deps, 'batchers' | 'metrics' | 'now'>,
  intent: Intent,
  payment: EndingPayment,
  outcome: ReportedOutcome,
  by: Pick<TransitionInput, 'marking' | 'cause' | 'guard'>,
  deadlineAt: number,
): Promise<Intent | null> => {
  const attempt = attemptOf(deps.now(), payment, outcome)
  const transition = transitionFor(deps.now(), payment, outcome)
  const $push = { ...pushAttempt(attempt), ...pushLookUpKeys(lookUpKeysOf(intent, payment)) }
  return applyTransition(deps, intent, { ...transition, lists: { $push }, ...by }, deadlineAt)
}

function transitionFor(
  at: Date,
  payment: EndingPayment,
  outcome: ReportedOutcome,
): Omit<TransitionInput, 'marking' | 'cause' | 'guard'> {
  const failing = (name: TransitionName, code: DeclineReason | FailureReason, retryable: boolean) => {
    const failure: PaymentFailure = { code, retryable }
    return { name, set: { hold: null, failure }, eventDetails: { failure } }
  }
  switch (outcome.outcome) {
    case 'done':
      return {
        name: 'pay',
        set: { hold: null, failure: null, payment: paymentOf(at, payment), listedAmount: payment.amount },
      }
    case 'declined':
      return failing('decline', outcome.reason, true)
    case 'failed':
      return failing('fail', outcome.reason, false)
  }
}

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

const attemptOf = (
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

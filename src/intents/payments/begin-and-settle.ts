import type { DeclineReason, FailureReason } from '../../../schemas/payment-reasons.ts'
import type { PaymentFailure } from '../../outbox/facts.ts'
import { wakeRelay } from '../../outbox/wake-relay.ts'
import type { Deps } from '../../platform/deps.ts'
import { newId } from '../../platform/ids.ts'
import type { Cause } from '../../tracing/tracing.ts'
import type { KnownOutcome } from '../../wallets/wallet.ts'
import { expiryJob } from '../expire.ts'
import type { Intent } from '../intent.ts'
import { isPayable, isPending, neverCancels, type TransitionName, transitions } from '../lifecycle.ts'
import { lookUpKeysOf, pushLookUpKeys } from '../look-up-keys.ts'
import type { Payment, PaymentAttempt, PaymentHold } from '../records.ts'
import {
  applyTransition,
  type PlannedChange,
  planTransition,
  type TransitionInput,
  writeChange,
} from '../transition.ts'

/**
 * The maximum number of attempts whose outcomes an intent keeps. Older outcomes are dropped.
 */
const maxAttempts = 50

/** Returns the operand of a `$push` that adds the attempt to an intent. */
export const pushAttempt = (attempt: PaymentAttempt) => ({
  attempts: { $each: [attempt], $slice: -maxAttempts },
})

/**
 * Holds an intent for a payment without changing the intent's status. While the hold exists, no other payment, cancel
 * or expiry can change the intent. Returns null if the guard does not match. This happens if the intent is not PENDING,
 * is about to expire or is already held, or if this payment has already ended.
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
      ...isPayable(deps.now()),
      'marks.key': { $ne: hold.id },
    },
    update: {
      $set: { hold, cancelsAt: neverCancels },
      // The form makes only this payment, whatever becomes of it.
      $push: { marks: { key: hold.id, at: hold.startedAt }, ...pushLookUpKeys(lookUpKeysOf(intent, hold)) },
    },
    proof: { 'hold.writeId': hold.writeId },
  }
  return (await deps.batchers.updateIntent(begin, deadlineAt)) ? { ...intent, hold, cancelsAt: neverCancels } : null
}

/**
 * Plans the end of a payment whose outcome adds no event. The intent stays PENDING. If the intent's time ran out during
 * the payment, the end of the payment counts as the time of the expiry. The guard requires that this payment still
 * holds the intent.
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
  /** The request that settles the payment, or null if a job settles it. */
  cause: Cause | null
  /** The deadline of the write, as defined in mongo/batchers.ts. */
  deadlineAt: number
}

/**
 * Ends a payment according to its outcome at the wallet. The intent becomes PAID or FAILED, or stays PENDING. If the
 * outcome is reported as an event, the same write adds the event. The payment is settled only once, even if this
 * function runs several times or in several processes. Returns the intent after the write, or null if the payment had
 * already ended.
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
  // The intent's time ran out while the payment held it, and its expiry has not been written yet. Writing it can be
  // left to a job, because clients already see the intent as expired.
  const now = deps.now()
  if (isPending(settled.status) && settled.expiresAt <= now) deps.enqueue('intent-expiry', [expiryJob(settled, now)])
  return settled
}

async function write(
  deps: Pick<Deps, 'batchers' | 'metrics' | 'now'>,
  intent: Intent,
  payment: PaymentHold,
  outcome: KnownOutcome,
  { cause, deadlineAt }: Settler,
): Promise<Intent | null> {
  // The payment and its event have the same time, as GET /dev/balance needs for `asOf`.
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
  // The attempt, rather than the event, serves as the proof of the write, because the relay may remove the event before
  // the proof is checked. Even in that case, the customer must see the outcome.
  const after = await writeChange(deps, change, { 'attempts.writeId': attempt.writeId }, deadlineAt)
  return after === null ? null : { ...after, attempts: [...intent.attempts, attempt] }
}

/** Whether a payment has changed nothing, so that it adds no event. */
const isUnreported = (outcome: KnownOutcome): outcome is Exclude<KnownOutcome, ReportedOutcome> =>
  outcome.outcome === 'refused' || outcome.outcome === 'not-executed'

/**
 * Logs an error if the wallet has taken the customer's money even though it had reported that it never would. The
 * service cannot refund that money, so an operator must act.
 */
async function logIfAstray(
  deps: Pick<Deps, 'Intent' | 'log'>,
  { _id, referenceNumber }: Intent,
  payment: PaymentHold,
): Promise<void> {
  const { id: key, wallet } = payment
  if ((await deps.Intent.exists({ _id, 'payment.key': key })) !== null) return
  deps.log.error({ referenceNumber, key, wallet }, 'payment.astray')
}

/** The fields that are needed to end a payment. A payment that never held the intent has no `startedAt`. */
type EndingPayment = Omit<PaymentHold, 'startedAt' | 'validUntil' | 'queryAt' | 'writeId'> &
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
  const transition = transitionFor(deps.now(), payment, outcome)
  const $push = { ...pushAttempt(attempt), ...pushLookUpKeys(lookUpKeysOf(intent, payment)) }
  return applyTransition(deps, intent, { ...transition, lists: { $push }, ...by }, deadlineAt)
}

/** Returns the transition that a payment's outcome requires, without the record of the attempt. */
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

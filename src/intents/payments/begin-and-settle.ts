import { type PaymentFailure, wakeRelay } from '../../outbox/event.ts'
import type { Deps } from '../../platform/deps.ts'
import { newId } from '../../platform/ids.ts'
import type { CausingRequest } from '../../tracing/tracing.ts'
import type { KnownWalletOutcome } from '../../wallets/wallet.ts'
import { newExpiryJob } from '../expire.ts'
import type { IntentWithoutRefunds } from '../intent.ts'
import { isPending, neverCancelsAt, payableFilter, transitions } from '../lifecycle.ts'
import { lookUpKeysOf, type PaymentAttempt, type PaymentHold, pushLookUpKeys } from '../records.ts'
import {
  applyTransition,
  isMoneyRecorded,
  type PlannedTransition,
  planTransition,
  type SettleDeps,
  type TransitionDeps,
  type TransitionInput,
  writePlannedTransition,
} from '../transition.ts'

const maxAttempts = 50

export const pushAttempt = (attempt: PaymentAttempt) => ({
  attempts: { $each: [attempt], $slice: -maxAttempts },
})

export const newPaymentAttempt = (
  attempt: Omit<PaymentAttempt, 'outcome' | 'reason' | 'writeId'>,
  outcome: KnownWalletOutcome,
): PaymentAttempt => ({
  ...attempt,
  outcome: outcome.outcome,
  reason: 'reason' in outcome ? outcome.reason : null,
  writeId: newId(),
})

/** Returns null if the intent isn't payable or already had this payment. */
export async function beginPayment(
  deps: Pick<Deps, 'batchers' | 'now'>,
  intent: IntentWithoutRefunds,
  hold: PaymentHold,
  deadlineAt: number,
): Promise<IntentWithoutRefunds | null> {
  const begin = {
    filter: {
      _id: intent._id,
      status: { $in: transitions.pay.from },
      ...payableFilter(deps.now()),
      'marks.key': { $ne: hold.id },
    },
    update: {
      $set: { hold, cancelsAt: neverCancelsAt },
      // Each form makes at most one payment, whatever the outcome.
      $push: { marks: { key: hold.id, at: hold.startedAt }, ...pushLookUpKeys(lookUpKeysOf(intent, hold)) },
    },
    proof: { 'hold.writeId': hold.writeId },
  }
  return (await deps.batchers.updateIntent(begin, deadlineAt))
    ? { ...intent, hold, cancelsAt: neverCancelsAt }
    : null
}

/** If the intent expired meanwhile, it counts as expired from now on. */
function planRelease(
  intent: IntentWithoutRefunds,
  attempt: PaymentAttempt,
): PlannedTransition<IntentWithoutRefunds> {
  const { _id, expiresAt } = intent
  const { id, at } = attempt
  const change = { hold: null, cancelsAt: expiresAt, ...(at > expiresAt ? { updatedAt: at } : {}) }
  return {
    transition: null,
    filter: { _id, 'hold.id': id },
    update: { $set: change, $push: pushAttempt(attempt) },
    after: { ...intent, ...change },
  }
}

/** Returns null if the payment was already settled. */
export async function settlePayment(
  deps: SettleDeps,
  intent: IntentWithoutRefunds,
  payment: PaymentHold,
  outcome: KnownWalletOutcome,
  { cause, deadlineAt }: { cause: CausingRequest | null; deadlineAt: number },
): Promise<IntentWithoutRefunds | null> {
  // GET /dev/balance relies on the payment and its event having the same time.
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
  const settled = await writePlannedTransition(
    deps,
    change,
    { 'attempts.writeId': attempt.writeId },
    deadlineAt,
  )
  const { referenceNumber } = intent
  if (settled === null) {
    const { id: key, wallet } = payment
    if (outcome.outcome === 'done' && !(await isMoneyRecorded(deps, intent, { 'payment.key': key })))
      deps.log.error({ referenceNumber, key, wallet }, 'payment.astray')
    return null
  }
  if (change.transition !== null) wakeRelay(deps, settled)
  const { status, expiresAt } = settled
  const requestId = cause?.requestId ?? null
  deps.log.info({ referenceNumber, ...outcome, status, requestId }, 'payment.settled')
  // Clients already see the expiry, so a job can write it later.
  const now = deps.now()
  if (isPending(status) && expiresAt <= now) deps.enqueue('intent-expiry', [newExpiryJob(settled, now)])
  return { ...settled, attempts: [...intent.attempts, attempt] }
}

const isUnreported = (outcome: KnownWalletOutcome): outcome is Exclude<KnownWalletOutcome, ReportedOutcome> =>
  outcome.outcome === 'refused' || outcome.outcome === 'not-executed'

type EndingPayment = Omit<PaymentHold, 'startedAt' | 'validUntil' | 'queryAt' | 'writeId'> &
  Partial<Pick<PaymentHold, 'startedAt'>>
export type ReportedOutcome = Extract<KnownWalletOutcome, { outcome: 'done' | 'declined' | 'failed' }>

/** Records, in one write, a payment for which no hold was set. */
export const recordPayment = <Stored extends IntentWithoutRefunds>(
  deps: TransitionDeps,
  intent: Stored,
  payment: EndingPayment,
  outcome: ReportedOutcome,
  by: Pick<TransitionInput, 'marking' | 'cause' | 'guard'>,
  deadlineAt: number,
): Promise<Stored | null> => {
  const attempt = attemptOf(deps.now(), payment, outcome)
  const transition = transitionFor(deps.now(), payment, outcome)
  const $push = { ...pushAttempt(attempt), ...pushLookUpKeys(lookUpKeysOf(intent, payment)) }
  return applyTransition(deps, intent, { ...transition, lists: { $push }, ...by }, deadlineAt)
}

function transitionFor(
  at: Date,
  payment: EndingPayment,
  outcome: ReportedOutcome,
): Pick<TransitionInput, 'name' | 'set' | 'eventDetails'> {
  const failure = paymentFailureOf(outcome)
  if (failure !== null)
    return {
      name: failure.retryable ? 'decline' : 'fail',
      set: { hold: null, failure },
      eventDetails: { failure },
    }
  const { id: key, wallet, amount, commission, payerPhone, payerHash } = payment
  const paid = { amountPaid: amount, paidAt: at, method: 'WALLET' as const }
  const details = { ...paid, payerPhone, payerHash, commission, wallet, key }
  return { name: 'pay', set: { hold: null, failure, payment: details, listedAmount: amount } }
}

export const paymentFailureOf = (outcome: ReportedOutcome): PaymentFailure | null =>
  outcome.outcome === 'done' ? null : { code: outcome.reason, retryable: outcome.outcome === 'declined' }

const attemptOf = (
  at: Date,
  { id, amount, commission, payerPhone, payerHash, startedAt }: EndingPayment,
  outcome: KnownWalletOutcome,
): PaymentAttempt => {
  const started = startedAt && { startedAt }
  const fee = commission.payerTtc
  return newPaymentAttempt(
    { kind: 'payment', id, at, ...started, amount, fee, payerPhone, payerHash },
    outcome,
  )
}

import { maxRefunds } from '../../../schemas/intents.ts'
import { bookEvents } from '../../ledger/book.ts'
import { noDeadline } from '../../mongo/batchers.ts'
import type { OutboxEvent } from '../../outbox/event.ts'
import { wakeRelay } from '../../outbox/wake-relay.ts'
import type { Deps } from '../../platform/deps.ts'
import { newId } from '../../platform/ids.ts'
import { succeedsWithin } from '../../platform/timeout.ts'
import type { Cause } from '../../tracing/tracing.ts'
import type { Commission, ReturnedFees } from '../../wallets/commission.ts'
import type { KnownOutcome } from '../../wallets/wallet.ts'
import type { Intent } from '../intent.ts'
import { transitions } from '../lifecycle.ts'
import { fewLookUpKeys } from '../look-up-keys.ts'
import { type Marking, unmarkedFilter } from '../marks.ts'
import { pushAttempt } from '../payments/begin-and-settle.ts'
import type { PaymentAttempt, Refund } from '../records.ts'
import { planTransition, writeChange } from '../transition.ts'

type Owner = Pick<Intent, 'businessId' | 'sandbox' | '_id'>

export const pendingRefundFilter = (refundId: string) => ({
  refunds: { $elemMatch: { id: refundId, status: 'PENDING' } },
})

/**
 * Sets an amount and its portion of the fees aside, so that no other refund can use them. The status doesn't change.
 * Returns false if `guard` (what has been set aside so far) doesn't match, the intent isn't refundable or has
 * `maxRefunds` refunds, an earlier request with the same key began its refund, or the clean-up is removing the intent.
 */
export const beginRefund = (
  deps: Pick<Deps, 'batchers'>,
  { businessId, sandbox, _id }: Owner,
  guard: SetAsideGuard,
  { refund, marking }: { refund: Refund; marking: Marking },
  deadlineAt: number,
): Promise<boolean> =>
  deps.batchers.updateIntent(
    {
      filter: {
        businessId,
        sandbox,
        _id,
        status: { $in: transitions.refund.from },
        ...guard,
        [`refunds.${maxRefunds - 1}`]: { $exists: false },
        ...unmarkedFilter(marking),
        cleanedAt: { $exists: false },
      },
      update: {
        $inc: setAside(refund),
        $push: { refunds: refund, marks: marking.mark, lookUpKeys: refund.id },
      },
      proof: { 'marks.refundId': refund.id },
    },
    deadlineAt,
  )

/**
 * Removes a refund for which no money was transferred; only `attempt` remains, and its look-up key if the intent has
 * few. Returns false if the refund was no longer PENDING.
 */
async function releaseRefund(
  deps: Pick<Deps, 'batchers'>,
  { businessId, sandbox, _id }: Owner,
  refund: Refund,
  attempt: PaymentAttempt,
): Promise<boolean> {
  const release = (where: object, pulled: object) =>
    deps.batchers.updateIntent(
      {
        filter: { businessId, sandbox, _id, ...pendingRefundFilter(refund.id), ...where },
        update: {
          $inc: undoSetAside(refund),
          $pull: { refunds: { id: refund.id }, ...pulled },
          $push: pushAttempt(attempt),
        },
        proof: { 'attempts.writeId': attempt.writeId },
      },
      noDeadline,
    )
  return (await release(fewLookUpKeys, {})) || release({}, { lookUpKeys: refund.id })
}

/** Includes PENDING refunds. */
type SetAside = Pick<Intent, 'refundsCommitted' | 'feesReturned'>

type SetAsideGuard = Partial<
  Record<
    'refundsCommitted' | `feesReturned.${keyof ReturnedFees}`,
    number | { $lt: number } | { $lte: number }
  >
>

/**
 * The portion of each fee that a refund of `amount` centimes gives back, and the guard of the write that sets it aside.
 * A refund that completes the amount paid gives back whatever is left of the fees. Any other gives back its portion,
 * rounded down to whole centimes. (Less may be left only if an earlier refund failed after a completing one had taken
 * the rest.)
 *
 * If the portion doesn't depend on other refunds, the guard is a range, so that concurrent refunds don't delay each
 * other. Otherwise it's the exact state that the portion was calculated from.
 */
export function feePortionsOf(
  { amountPaid, commission }: { amountPaid: number; commission: Commission },
  { refundsCommitted, feesReturned }: SetAside,
  amount: number,
) {
  const left = (fee: keyof ReturnedFees): number => commission[fee] - feesReturned[fee]
  const portion = (fee: keyof ReturnedFees): number =>
    Number((BigInt(commission[fee]) * BigInt(amount)) / BigInt(amountPaid))
  const portions = both(portion)
  const isComplete = refundsCommitted + amount === amountPaid
  const isShort = portions.providerTtc > left('providerTtc') || portions.payerTtc > left('payerTtc')
  if (isComplete || isShort)
    return {
      returnedFees: isComplete ? both(left) : both((fee) => Math.min(portions[fee], left(fee))),
      guard: { refundsCommitted, ...byPath(feesReturned) },
    }
  const bounds = both((fee) => commission[fee] - portions[fee])
  return {
    returnedFees: portions,
    guard: {
      refundsCommitted: { $lt: amountPaid - amount },
      'feesReturned.providerTtc': { $lte: bounds.providerTtc },
      'feesReturned.payerTtc': { $lte: bounds.payerTtc },
    },
  }
}

const both = (part: (fee: keyof ReturnedFees) => number): ReturnedFees => ({
  providerTtc: part('providerTtc'),
  payerTtc: part('payerTtc'),
})

const byPath = ({ providerTtc, payerTtc }: ReturnedFees) => ({
  'feesReturned.providerTtc': providerTtc,
  'feesReturned.payerTtc': payerTtc,
})

type Amounts = { amount: number; returnedFees: ReturnedFees }

export const setAside = ({ amount, returnedFees }: Amounts): Record<string, number> => ({
  refundsCommitted: amount,
  ...byPath(returnedFees),
})

export const undoSetAside = ({ amount, returnedFees }: Amounts): Record<string, number> =>
  setAside({ amount: -amount, returnedFees: both((fee) => -returnedFees[fee]) })

/**
 * Ends a PENDING refund with its outcome at the wallet, in one write. Either the intent becomes REFUNDED and gets a
 * `payment.refunded` event, or the refund is removed and its amount and fees are refundable again. However often this
 * runs, it settles the refund once. Returns false if it was no longer PENDING. `cause` is null in a job.
 */
export async function settleRefund(
  deps: Pick<Deps, 'Intent' | 'batchers' | 'enqueue' | 'log' | 'metrics' | 'now'>,
  intent: Intent,
  refund: Refund,
  outcome: KnownOutcome,
  cause: Cause | null,
): Promise<boolean> {
  const wasPending =
    outcome.outcome === 'done'
      ? await endRefund(deps, intent, refund, cause)
      : await releaseRefund(deps, intent, refund, attemptOf(deps, intent, refund, outcome))
  if (!wasPending) {
    if (outcome.outcome === 'done') await logIfAstray(deps, intent, refund)
    return false
  }
  wakeRelay(deps, intent)
  const { referenceNumber } = intent
  const requestId = cause?.requestId ?? null
  deps.log.info({ referenceNumber, refundId: refund.id, ...outcome, requestId }, 'refund.settled')
  return true
}

/** The refund and its event get the same time. */
async function endRefund(
  deps: Pick<Deps, 'Intent' | 'batchers' | 'metrics' | 'now'>,
  intent: Intent,
  refund: Refund,
  cause: Cause | null,
): Promise<boolean> {
  const [at, writeId] = [deps.now(), newId()]
  const planned = planTransition({ now: () => at }, intent, {
    name: 'refund',
    marking: null,
    cause,
    guard: pendingRefundFilter(refund.id),
    lists: {
      $set: { 'refunds.$.status': 'SUCCEEDED', 'refunds.$.refundedAt': at, 'refunds.$.writeId': writeId },
      $unset: { 'refunds.$.queryAt': 1 },
      $min: { 'refundTimes.firstAt': at },
      $max: { 'refundTimes.lastAt': at },
      $inc: { 'refundTimes.count': 1 },
    },
    eventDetails: { refund },
  })
  const settled = await writeChange(deps, planned, { 'refunds.writeId': writeId }, noDeadline)
  if (settled === null) return false
  await bookSoon(deps, settled, planned.event)
  return true
}

/** A response waits this long for the ledger. */
const bookingMs = 1_000

/**
 * Books the event in the ledger ahead of the relay, so that merchants find it there when the response arrives. Never
 * throws and waits for a second at most: the relay books it anyway.
 */
export async function bookSoon(
  deps: Pick<Deps, 'Intent' | 'batchers'>,
  intent: Intent,
  refunded: OutboxEvent,
): Promise<void> {
  const deadlineAt = performance.now() + bookingMs
  const book = async (): Promise<void> => {
    const paid = await unrelayedPayment(deps, intent)
    await bookEvents(deps, intent, [...paid, refunded], deadlineAt)
  }
  await succeedsWithin(book(), bookingMs)
}

/** The payment's event, if not relayed yet: the ledger must contain a payment before its refund. */
async function unrelayedPayment(
  { Intent: model }: Pick<Deps, 'Intent'>,
  { _id }: Intent,
): Promise<OutboxEvent[]> {
  const found = await model
    .findOne({ _id }, { outbox: { $elemMatch: { event: 'payment.confirmed' } } })
    .lean<Pick<Intent, 'outbox'> | null>()
  return found?.outbox ?? []
}

const attemptOf = (
  deps: Pick<Deps, 'now'>,
  { payment }: Intent,
  { id, amount, returnedFees, createdAt }: Refund,
  outcome: KnownOutcome,
): PaymentAttempt => ({
  kind: 'refund',
  id,
  at: deps.now(),
  startedAt: createdAt,
  amount,
  fee: returnedFees.payerTtc,
  payerPhone: payment?.payerPhone ?? '',
  outcome: outcome.outcome,
  reason: 'reason' in outcome ? outcome.reason : null,
  writeId: newId(),
})

/**
 * The wallet refunded the money after reporting that it never would. The merchant doesn't know: an operator must act.
 */
async function logIfAstray(
  deps: Pick<Deps, 'Intent' | 'log'>,
  { _id, referenceNumber }: Intent,
  refund: Refund,
): Promise<void> {
  const { id: refundId } = refund
  if ((await deps.Intent.exists({ _id, 'refunds.id': refundId })) !== null) return
  deps.log.error({ referenceNumber, refundId }, 'refund.astray')
}

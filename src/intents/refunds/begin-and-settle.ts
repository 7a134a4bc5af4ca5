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
import { type Marking, unlessMarked } from '../marks.ts'
import { pushAttempt } from '../payments/begin-and-settle.ts'
import type { PaymentAttempt, Refund } from '../records.ts'
import { planTransition, writeChange } from '../transition.ts'

type Owner = Pick<Intent, 'businessId' | 'sandbox' | '_id'>

/** Returns a filter that matches an intent while this refund is PENDING. */
export const pending = (refundId: string) => ({
  refunds: { $elemMatch: { id: refundId, status: 'PENDING' } },
})

/**
 * Sets an amount and its share of the fees aside for a refund, so that no other refund can use them. The intent's
 * status does not change. `guard` is a filter for what is already set aside or refunded. Returns false
 * if the guard does not match, if the intent is not refundable or has `maxRefunds` refunds, if an earlier request with
 * the same key has begun its refund, or if the clean-up is removing the intent.
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
        ...unlessMarked(marking),
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
 * Removes a refund for which no money was transferred, and stores `attempt` as its record. Its look-up key stays only
 * while the intent has few. Returns false if the refund was no longer PENDING.
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
        filter: { businessId, sandbox, _id, ...pending(refund.id), ...where },
        update: {
          $inc: released(refund),
          $pull: { refunds: { id: refund.id }, ...pulled },
          $push: pushAttempt(attempt),
        },
        proof: { 'attempts.writeId': attempt.writeId },
      },
      noDeadline,
    )
  return (await release(fewLookUpKeys, {})) || release({}, { lookUpKeys: refund.id })
}

/** The sums that a payment's refunds have set aside so far, including PENDING refunds. */
type SetAside = Pick<Intent, 'refundsCommitted' | 'feesReturned'>

/** A filter for the fields of `SetAside`. */
type SetAsideGuard = Partial<
  Record<'refundsCommitted' | `feesReturned.${keyof ReturnedFees}`, number | { $lt: number } | { $lte: number }>
>

/**
 * Returns the part of each fee that a refund of `amount` centimes gives back, and the guard of the write that sets
 * them aside. The refund that completes the amount paid
 * gives back all that is left of the fees. Any other refund gives back its share, rounded down to whole centimes, but
 * never more than is left. Less than its share is left only if an earlier refund failed after a completing refund had
 * taken the rest. A share that does not depend on other refunds is guarded by bounds, so that concurrent refunds do not
 * delay each other. Otherwise, the guard requires the exact state from which the parts were calculated.
 */
export function feeShareOf(
  { amountPaid, commission }: { amountPaid: number; commission: Commission },
  { refundsCommitted, feesReturned }: SetAside,
  amount: number,
) {
  const left = (fee: keyof ReturnedFees): number => commission[fee] - feesReturned[fee]
  const share = (fee: keyof ReturnedFees): number =>
    Number((BigInt(commission[fee]) * BigInt(amount)) / BigInt(amountPaid))
  const shares = both(share)
  const isComplete = refundsCommitted + amount === amountPaid
  const isShort = shares.providerTtc > left('providerTtc') || shares.payerTtc > left('payerTtc')
  if (isComplete || isShort)
    return {
      returnedFees: isComplete ? both(left) : both((fee) => Math.min(shares[fee], left(fee))),
      guard: { refundsCommitted, ...byPath(feesReturned) },
    }
  const bounds = both((fee) => commission[fee] - shares[fee])
  return {
    returnedFees: shares,
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

/** Returns both parts, keyed by MongoDB path. */
const byPath = ({ providerTtc, payerTtc }: ReturnedFees) => ({
  'feesReturned.providerTtc': providerTtc,
  'feesReturned.payerTtc': payerTtc,
})

type Amounts = { amount: number; returnedFees: ReturnedFees }

/** Returns the operand of an `$inc` that sets a refund's amount and fees aside. */
export const setAside = ({ amount, returnedFees }: Amounts): Record<string, number> => ({
  refundsCommitted: amount,
  ...byPath(returnedFees),
})

/** Returns the operand of an `$inc` that releases a refund's amount and fees. */
export const released = ({ amount, returnedFees }: Amounts): Record<string, number> =>
  setAside({ amount: -amount, returnedFees: both((fee) => -returnedFees[fee]) })

/**
 * Ends a PENDING refund according to its outcome at the wallet, in one write. If the money was refunded, the intent
 * becomes REFUNDED and gets a `payment.refunded` event. Otherwise, the refund is removed, and its amount and its share
 * of the fees become refundable again. The refund is settled only once, however often this function runs. Returns
 * false if the refund was no longer PENDING. `cause` is the request that settles the refund,
 * or null if a job settles it.
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

/**
 * Makes the intent REFUNDED and books the refund in the ledger, so that the merchant sees it in the ledger as soon as
 * the response arrives. The refund and its event have the same time.
 */
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
    guard: pending(refund.id),
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

/** The maximum time that a response waits for the ledger. */
const bookingMs = 1_000

/**
 * Books a refund in the ledger before the relay does, so that the merchant sees it there as soon as the response
 * arrives. Never throws, and waits for at most a second, because the relay books every event that is in the outbox.
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

/** Returns the event of the payment if it is not relayed yet. The ledger must contain a payment before its refund. */
async function unrelayedPayment({ Intent: model }: Pick<Deps, 'Intent'>, { _id }: Intent): Promise<OutboxEvent[]> {
  const found = await model
    .findOne({ _id }, { outbox: { $elemMatch: { event: 'payment.confirmed' } } })
    .lean<Pick<Intent, 'outbox'> | null>()
  return found?.outbox ?? []
}

/** Returns the record of a refund that was not made. */
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
 * Logs an error if the wallet has refunded the money although it had reported that it never would. The merchant does
 * not know about the refund, so an operator must act.
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

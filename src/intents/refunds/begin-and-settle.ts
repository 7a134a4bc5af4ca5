import { maxRefunds } from '../../../schemas/intents.ts'
import { bookEvents } from '../../ledger/book.ts'
import { noDeadline } from '../../mongo/batchers.ts'
import { type OutboxEvent, wakeRelay } from '../../outbox/event.ts'
import type { Deps } from '../../platform/deps.ts'
import { newId } from '../../platform/ids.ts'
import { succeedsWithin } from '../../platform/timeout.ts'
import type { CausingRequest } from '../../tracing/tracing.ts'
import type { Commission, ReturnedFees } from '../../wallets/commission.ts'
import type { KnownWalletOutcome } from '../../wallets/wallet.ts'
import type { Intent, IntentWithoutRefunds } from '../intent.ts'
import { transitions } from '../lifecycle.ts'
import { newPaymentAttempt, pushAttempt } from '../payments/begin-and-settle.ts'
import { fewLookUpKeysFilter, type PaymentAttempt, type Refund } from '../records.ts'
import {
  isMoneyRecorded,
  type Marking,
  planTransition,
  type SettleDeps,
  unmarkedFilter,
  writePlannedTransition,
} from '../transition.ts'

export const pendingRefundFilter = (refundId: string) => ({
  refunds: { $elemMatch: { id: refundId, status: 'PENDING' } },
})

/** Returns false if the guard fails or the refund has already begun. */
export const beginRefund = (
  deps: Pick<Deps, 'batchers'>,
  { _id }: Pick<Intent, '_id'>,
  guard: Record<string, unknown>,
  { refund, marking }: { refund: Refund; marking: Marking },
  deadlineAt: number,
): Promise<boolean> =>
  deps.batchers.updateIntent(
    {
      filter: {
        _id,
        status: { $in: transitions.refund.from },
        ...guard,
        [`refunds.${maxRefunds - 1}`]: { $exists: false },
        ...unmarkedFilter(marking),
        cleanedAt: { $exists: false },
      },
      update: {
        $inc: refundIncrements(refund),
        $push: { refunds: refund, marks: marking.mark, lookUpKeys: refund.id },
      },
      proof: { 'marks.refundId': refund.id },
    },
    deadlineAt,
  )

/** Removes a refund that transferred no money. */
async function releaseRefund(
  deps: Pick<Deps, 'batchers'>,
  { _id }: Pick<Intent, '_id'>,
  refund: Refund,
  attempt: PaymentAttempt,
): Promise<boolean> {
  const release = (where: object, pulled: object) =>
    deps.batchers.updateIntent(
      {
        filter: { _id, ...pendingRefundFilter(refund.id), ...where },
        update: {
          $inc: refundDecrements(refund),
          $pull: { refunds: { id: refund.id }, ...pulled },
          $push: pushAttempt(attempt),
        },
        proof: { 'attempts.writeId': attempt.writeId },
      },
      noDeadline,
    )
  return (await release(fewLookUpKeysFilter, {})) || release({}, { lookUpKeys: refund.id })
}

type SetAside = Pick<Intent, 'refundsCommitted' | 'feesReturned'>

/**
 * A refund of the whole remaining amount returns all remaining fees.
 * Most guards are ranges, so that concurrent refunds don't conflict.
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

export const refundIncrements = ({ amount, returnedFees }: Amounts): Record<string, number> => ({
  refundsCommitted: amount,
  ...byPath(returnedFees),
})

export const refundDecrements = ({ amount, returnedFees }: Amounts): Record<string, number> =>
  refundIncrements({ amount: -amount, returnedFees: both((fee) => -returnedFees[fee]) })

/** Returns false if the refund was already settled. */
export async function settleRefund(
  deps: SettleDeps,
  intent: IntentWithoutRefunds,
  refund: Refund,
  outcome: KnownWalletOutcome,
  cause: CausingRequest | null,
): Promise<boolean> {
  const { id: refundId } = refund
  const { referenceNumber } = intent
  if (outcome.outcome === 'done') {
    if (!(await endRefund(deps, intent, refund, cause))) {
      if (!(await isMoneyRecorded(deps, intent, { 'refunds.id': refundId })))
        deps.log.error({ referenceNumber, refundId }, 'refund.astray')
      return false
    }
    wakeRelay(deps, intent)
  } else if (!(await releaseRefund(deps, intent, refund, attemptOf(deps, intent, refund, outcome)))) {
    return false
  }
  const requestId = cause?.requestId ?? null
  deps.log.info({ referenceNumber, refundId, ...outcome, requestId }, 'refund.settled')
  return true
}

async function endRefund(
  deps: SettleDeps,
  intent: IntentWithoutRefunds,
  refund: Refund,
  cause: CausingRequest | null,
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
  const settled = await writePlannedTransition(deps, planned, { 'refunds.writeId': writeId }, noDeadline)
  if (settled === null) return false
  await bookSoon(deps, settled, planned.event)
  return true
}

const bookingMs = 1_000

/** Books the refund early, because merchants may look it up immediately. */
async function bookSoon(
  deps: Pick<Deps, 'Intent' | 'batchers'>,
  intent: IntentWithoutRefunds,
  refunded: OutboxEvent,
): Promise<void> {
  const { _id } = intent
  const deadlineAt = performance.now() + bookingMs
  const book = async (): Promise<void> => {
    // The ledger must contain the payment before its refund.
    const unrelayed = await deps.Intent.findOne(
      { _id },
      { outbox: { $elemMatch: { event: 'payment.confirmed' } } },
    ).lean<Pick<Intent, 'outbox'>>()
    await bookEvents(deps, intent, [...(unrelayed?.outbox ?? []), refunded], deadlineAt)
  }
  await succeedsWithin(book(), bookingMs)
}

const attemptOf = (
  deps: Pick<Deps, 'now'>,
  { payment }: Pick<Intent, 'payment'>,
  { id, amount, returnedFees, createdAt }: Refund,
  outcome: KnownWalletOutcome,
): PaymentAttempt => {
  const [at, fee, payerPhone] = [deps.now(), returnedFees.payerTtc, payment?.payerPhone ?? '']
  return newPaymentAttempt({ kind: 'refund', id, at, startedAt: createdAt, amount, fee, payerPhone }, outcome)
}

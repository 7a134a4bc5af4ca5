import { maxRefunds } from '../../../schemas/intents.ts'
import type { Deps } from '../../deps.ts'
import { noDeadline } from '../../mongo/batching/batcher.ts'
import type { Commission, ReturnedFees } from '../../wallets/commission.ts'
import type { Intent } from '../intent.ts'
import { transitions } from '../lifecycle.ts'
import { fewLookUpKeys } from '../look-up-keys.ts'
import { type Marking, unlessMarked } from '../marks.ts'
import { pushAttempt } from '../payments/hold.ts'
import type { PaymentAttempt } from '../payments/payment.ts'
import type { Refund } from './refund-record.ts'

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
export async function releaseRefund(
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
export const released = ({ amount, returnedFees }: Amounts): Record<string, number> => ({
  refundsCommitted: -amount,
  ...byPath(both((fee) => -returnedFees[fee])),
})

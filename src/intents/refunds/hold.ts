import { maxRefunds } from '../../../schemas/refund.ts'
import type { Deps } from '../../deps.ts'
import { recorded } from '../../idempotency/effect.ts'
import type { Intent } from '../intent.ts'
import { transitions } from '../lifecycle.ts'
import { fewLookUpKeys } from '../look-up-keys.ts'
import { pushAttempt } from '../payments/hold.ts'
import type { PaymentAttempt } from '../payments/payment.ts'
import type { Refund } from './refund-record.ts'
import { released, type SetAsideGuard, setAside } from './set-aside.ts'

type Owner = Pick<Intent, 'businessId' | 'sandbox' | '_id'>

/** Returns a filter that matches an intent while this refund is PENDING. */
export const pending = (refundId: string) => ({
  refunds: { $elemMatch: { id: refundId, status: 'PENDING' } },
})

/**
 * Sets an amount and its share of the fees aside for a refund, so that no other refund can use them. The intent's
 * status does not change. `guard` is a filter for what is already set aside or refunded (set-aside.ts). Returns false
 * if the write does not match for one of these reasons:
 * - The intent is not refundable.
 * - `guard` does not match.
 * - The intent already has `maxRefunds` refunds.
 * - This request has already started its refund.
 * - The clean-up is removing the intent.
 */
export const beginRefund = async (
  deps: Pick<Deps, 'Intent'>,
  { businessId, sandbox, _id }: Owner,
  guard: SetAsideGuard,
  refund: Refund,
): Promise<boolean> => {
  const { matchedCount } = await deps.Intent.updateOne(
    {
      businessId,
      sandbox,
      _id,
      status: { $in: transitions.refund.from },
      ...guard,
      [`refunds.${maxRefunds - 1}`]: { $exists: false },
      effects: { $ne: refund.effectId },
      cleanedAt: { $exists: false },
    },
    {
      $inc: setAside(refund),
      $push: { refunds: refund, ...recorded(refund.effectId), lookUpKeys: refund.id },
    },
  )
  return matchedCount > 0
}

/**
 * Removes a refund for which no money was transferred, and stores `attempt` as its record. Its look-up key stays only
 * while the intent has few. Returns null if the refund was no longer PENDING.
 */
export async function releaseRefund(
  deps: Pick<Deps, 'Intent'>,
  { businessId, sandbox, _id }: Owner,
  refund: Refund,
  attempt: PaymentAttempt,
): Promise<Intent | null> {
  const release = (where: object, pulled: object) =>
    deps.Intent.findOneAndUpdate(
      { businessId, sandbox, _id, ...pending(refund.id), ...where },
      { $inc: released(refund), $pull: { refunds: { id: refund.id }, ...pulled }, $push: pushAttempt(attempt) },
      { returnDocument: 'after', projection: { outbox: 0 } },
    ).lean<Intent | null>()
  return (await release(fewLookUpKeys, {})) ?? release({}, { lookUpKeys: refund.id })
}

/** Stores the time at which to query the wallet again for the outcome of a refund. */
export async function scheduleRefundQuery(
  deps: Pick<Deps, 'Intent'>,
  { businessId, sandbox, _id }: Owner,
  refundId: string,
  queryAt: Date,
): Promise<void> {
  await deps.Intent.updateOne(
    { businessId, sandbox, _id, ...pending(refundId) },
    { $set: { 'refunds.$.queryAt': queryAt } },
  )
}

import { mostRefunds } from '../../../schemas/refund.ts'
import type { Deps } from '../../deps.ts'
import { recorded } from '../../idempotency/effect.ts'
import type { Intent } from '../intent.ts'
import { moves } from '../lifecycle.ts'
import type { PaymentAttempt } from '../payments/payment.ts'
import { logged } from '../payments/under-way.ts'
import type { Refund } from './refund-record.ts'

type Owner = Pick<Intent, 'businessId' | 'sandbox' | '_id'>

/** Holds as long as this refund is PENDING. */
export const pending = (refundId: string) => ({
  refunds: { $elemMatch: { id: refundId, status: 'PENDING' } },
})

/**
 * Sets an amount aside for a refund: from now on no other can have it. `committed`: what may have been set aside before, as a filter. Returns
 * false if the guard refused: not refundable, more than that is set aside, `mostRefunds` are there, this request did it before, or the clean-up removes the
 * intent. A status never changes here.
 */
export const beginRefund = async (
  deps: Pick<Deps, 'Intent'>,
  { businessId, sandbox, _id }: Owner,
  committed: number | { $lte: number },
  refund: Refund,
): Promise<boolean> => {
  const { matchedCount } = await deps.Intent.updateOne(
    {
      businessId,
      sandbox,
      _id,
      status: { $in: moves.refund.from },
      refundsCommitted: committed,
      [`refunds.${mostRefunds - 1}`]: { $exists: false },
      effects: { $ne: refund.effectId },
      cleanedAt: { $exists: false },
    },
    {
      $inc: { refundsCommitted: refund.amount },
      $push: { refunds: refund, ...recorded(refund.effectId) },
    },
  )
  return matchedCount > 0
}

/**
 * Takes a refund out again of which it is known that no money moved; `attempt` is what is left of it. Null when it is not PENDING any
 * more.
 */
export const releaseRefund = (
  deps: Pick<Deps, 'Intent'>,
  { businessId, sandbox, _id }: Owner,
  { id, amount }: Refund,
  attempt: PaymentAttempt,
): Promise<Intent | null> =>
  deps.Intent.findOneAndUpdate(
    { businessId, sandbox, _id, ...pending(id) },
    { $inc: { refundsCommitted: -amount }, $pull: { refunds: { id } }, $push: logged(attempt) },
    { returnDocument: 'after' },
  ).lean<Intent | null>()

/** Notes when the wallet shall be asked (again) what became of a refund. */
export async function askRefundAt(
  deps: Pick<Deps, 'Intent'>,
  { businessId, sandbox, _id }: Owner,
  refundId: string,
  askAt: Date,
): Promise<void> {
  await deps.Intent.updateOne(
    { businessId, sandbox, _id, ...pending(refundId) },
    { $set: { 'refunds.$.askAt': askAt } },
  )
}

import type { Deps } from '../../deps.ts'
import { recorded } from '../../idempotency/effect.ts'
import type { Intent, Refund } from '../intent.ts'
import { moves } from '../lifecycle.ts'

type Owner = Pick<Intent, 'businessId' | 'sandbox' | '_id'>

const pending = (refundId: string) => ({ refunds: { $elemMatch: { id: refundId, status: 'PENDING' } } })

/**
 * Sets an amount aside for a refund: from now on no other can have it. `committed`: what may have been set aside before, as a filter. Null
 * when the guard refused: not refundable, more than that is set aside, or this request did it before. A status never changes here.
 */
export const beginRefund = (
  deps: Pick<Deps, 'Intent'>,
  { businessId, sandbox, _id }: Owner,
  committed: number | { $lte: number },
  refund: Refund,
): Promise<Intent | null> =>
  deps.Intent.findOneAndUpdate(
    {
      businessId,
      sandbox,
      _id,
      status: { $in: moves.refund.from },
      refundsCommitted: committed,
      effects: { $ne: refund.effectId },
    },
    {
      $inc: { refundsCommitted: refund.amount },
      $push: { refunds: refund, ...recorded(refund.effectId) },
    },
    { returnDocument: 'after' },
  ).lean<Intent | null>()

/** Takes a refund out again of which it is known that no money moved. Null when it is not PENDING any more. */
export const releaseRefund = (
  deps: Pick<Deps, 'Intent'>,
  { businessId, sandbox, _id }: Owner,
  { id, amount }: Refund,
): Promise<Intent | null> =>
  deps.Intent.findOneAndUpdate(
    { businessId, sandbox, _id, ...pending(id) },
    { $inc: { refundsCommitted: -amount }, $pull: { refunds: { id } } },
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

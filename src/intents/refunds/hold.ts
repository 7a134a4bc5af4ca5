import { maxRefunds } from '../../../schemas/refund.ts'
import type { Deps } from '../../deps.ts'
import { recorded } from '../../idempotency/effect.ts'
import type { Intent } from '../intent.ts'
import { moves } from '../lifecycle.ts'
import { logged } from '../payments/hold.ts'
import type { PaymentAttempt } from '../payments/payment.ts'
import type { Refund } from './refund-record.ts'

type Owner = Pick<Intent, 'businessId' | 'sandbox' | '_id'>

/** Holds as long as this refund is PENDING. */
export const pending = (refundId: string) => ({
  refunds: { $elemMatch: { id: refundId, status: 'PENDING' } },
})

/**
 * Sets an amount aside for a refund, so that no other refund can take it. `committed` is a filter for the amount that is already set aside.
 * Returns false if the guard refuses: the intent is not refundable, `committed` does not match, it has `maxRefunds` refunds, this request has
 * already begun its refund, or the clean-up is removing the intent. Never changes the status.
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
      [`refunds.${maxRefunds - 1}`]: { $exists: false },
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
    { returnDocument: 'after', projection: { outbox: 0 } },
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

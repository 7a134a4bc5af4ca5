import { maxRefunds } from '../../../schemas/refund.ts'
import type { Deps } from '../../deps.ts'
import { noDeadline } from '../../mongo/batching/batcher.ts'
import type { Intent } from '../intent.ts'
import { transitions } from '../lifecycle.ts'
import { fewLookUpKeys } from '../look-up-keys.ts'
import { type Marking, unlessMarked } from '../marks.ts'
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

import type { Deps } from '../../deps.ts'
import { isDuplicate } from '../../mongo/collection.ts'
import type { OrderAttempt } from './attempt.ts'
import { type Order, storedOrders } from './order.ts'

/**
 * How long a placeholder is kept. This is longer than the lifetime of a claim (SPEC 5.4), because another attempt can
 * start as long as the claim exists.
 */
const keptMs = 48 * 3_600_000

/**
 * Adds an attempt to the placeholder of its order, so that the attempt can no longer place the order. If a delayed
 * insert of this attempt still arrives, it fails because of the placeholder. Returns null if the placeholder now lists
 * the attempt. If the order has already been placed, returns the id of the attempt that placed it.
 */
export async function releaseAttempt(
  deps: Pick<Deps, 'Order' | 'now'>,
  { orderId: _id, businessId, sandbox, attemptId }: OrderAttempt,
): Promise<Pick<Order, 'attemptId'> | null> {
  const now = deps.now()
  const update = {
    $addToSet: { released: attemptId },
    $set: { expiresAt: new Date(now.getTime() + keptMs) },
    $setOnInsert: { businessId, sandbox, createdAt: now },
  }
  for (;;) {
    try {
      await storedOrders(deps).updateOne({ _id, status: 'RELEASED' }, update, { upsert: true })
      return null
    } catch (error) {
      if (!isDuplicate(error)) throw error
    }
    const found = await storedOrders(deps).findOne({ _id })
    if (found?.status === 'PLACED') return found
    // Another process has just inserted the placeholder, so the next update will find it.
  }
}

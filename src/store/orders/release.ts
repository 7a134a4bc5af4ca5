import type { Deps } from '../../deps.ts'
import { isDuplicate } from '../../mongo/collection.ts'
import type { OrderAttempt } from './attempt.ts'
import { type Order, storedOrders } from './order.ts'

/**
 * How long a placeholder is kept. This is longer than the lifetime of a claim (SPEC 5.4). As long as the claim exists,
 * another attempt can start.
 */
const keptMs = 48 * 3_600_000

/**
 * Ensures that an attempt can no longer place its order. Even if a delayed insert of this attempt still arrives, it
 * finds a placeholder that lists the attempt, so it does not place the order. Returns null if the attempt has been
 * released. If the order has already been placed, returns the id of the attempt that placed it.
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

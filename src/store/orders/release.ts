import type { Deps } from '../../deps.ts'
import { isDuplicate } from '../../mongo/collection.ts'
import type { OrderAttempt } from './attempt.ts'
import { type Order, storedOrders } from './order.ts'

/** Longer than the lifetime of a claim (SPEC 5.4), because another attempt can start during that time. */
const keptMs = 48 * 3_600_000

/**
 * Ensures that an attempt never places its order, even if its insert still arrives, because the insert finds a
 * placeholder that lists the attempt. Returns null if the attempt is released, or the id of the attempt that has
 * already placed the order.
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
    // Another process inserted the placeholder at the same moment. The next update finds it.
  }
}

import type { Deps } from '../../deps.ts'
import { isDuplicate } from '../../mongo/collection.ts'
import type { Try } from './attempt.ts'
import { type Order, storedOrders } from './order.ts'

/** Longer than a claim lives (SPEC 5.4), under which another try could still come. */
const rememberedMs = 48 * 3_600_000

/**
 * Rules out that a try of placing an order is ever placed, wherever its insert may be on its way: it finds its place taken by a mark that
 * names it. Null when that is so from now on; where the order is placed already, by this try or another, which one.
 */
export async function release(
  deps: Pick<Deps, 'Order' | 'now'>,
  { order: _id, businessId, sandbox, tryId }: Try,
): Promise<Pick<Order, 'tryId'> | null> {
  const now = deps.now()
  const mark = {
    $addToSet: { released: tryId },
    $set: { expiresAt: new Date(now.getTime() + rememberedMs) },
    $setOnInsert: { businessId, sandbox, createdAt: now },
  }
  for (;;) {
    try {
      await storedOrders(deps).updateOne({ _id, status: 'RELEASED' }, mark, { upsert: true })
      return null
    } catch (error) {
      if (!isDuplicate(error)) throw error
    }
    const found = await storedOrders(deps).findOne({ _id })
    if (found?.status === 'PLACED') return found
    // Another made the mark at the same moment, and it can be added to now.
  }
}

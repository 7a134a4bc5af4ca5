import type { Deps } from '../../deps.ts'
import { type Order, storedOrders } from './order.ts'

/**
 * What became of a try: it placed the order; another had done so before; it had been ruled out; or its number was in use, and nothing happened.
 */
export type WrittenDown = 'placed' | 'placed-before' | 'released' | 'number-in-use'

/**
 * Places the order, in ONE write: that is the decision over all that its try took from the stock. A fault of MongoDB leaves it unknown; who
 * finds the reservations decides then (reservations.ts). Past `deadlineAt` nothing is sent.
 */
export async function writeDown(
  deps: Pick<Deps, 'Order' | 'batchers'>,
  order: Order,
  deadlineAt: number,
): Promise<WrittenDown> {
  const insertion = await deps.batchers.insertOrder(order, deadlineAt)
  if (insertion.inserted) return 'placed'
  return insertion.index === '_id_' ? takeMarksPlace(deps, order, deadlineAt) : 'number-in-use'
}

/** The order's place is taken: by the order, or by the mark of tries that were ruled out, and then this one takes it if it is none of them. */
async function takeMarksPlace(
  deps: Pick<Deps, 'Order'>,
  order: Order,
  deadlineAt: number,
): Promise<Exclude<WrittenDown, 'number-in-use'>> {
  const { _id, tryId } = order
  const found = await storedOrders(deps).findOne({ _id })
  if (found?.status === 'PLACED') return found.tryId === tryId ? 'placed' : 'placed-before'
  // A later try may have been refused meanwhile, and its merchant was told no: it added itself to the mark. So this replaces just the mark
  // that it read, and read in time: no later try has begun before `deadlineAt`.
  const isOpen = found !== null && !found.released.includes(tryId) && performance.now() < deadlineAt
  if (!isOpen) return 'released'
  const { released } = found
  const { matchedCount } = await storedOrders(deps).replaceOne({ _id, status: 'RELEASED', released }, order)
  return matchedCount === 1 ? 'placed' : 'released'
}

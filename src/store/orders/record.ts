import type { Deps } from '../../deps.ts'
import { type Order, storedOrders } from './order.ts'

/**
 * The outcome of an attempt:
 * - `placed`: this attempt has placed the order.
 * - `placed-before`: another attempt had already placed the order.
 * - `released`: the attempt had been released, so it can no longer place the order.
 * - `number-in-use`: the order number is already in use, so nothing was written.
 */
export type RecordOutcome = 'placed' | 'placed-before' | 'released' | 'number-in-use'

/**
 * Places the order in ONE write. Once the order is stored, all reservations of this attempt count as sold. If MongoDB
 * fails, it is unknown whether the order was placed, and `resolveReservation` (reservations.ts) finds this out later.
 * No write is sent to MongoDB after the deadline.
 */
export async function recordOrder(
  deps: Pick<Deps, 'Order' | 'batchers'>,
  order: Order,
  deadline: number,
): Promise<RecordOutcome> {
  const insertion = await deps.batchers.insertOrder(order, deadline)
  if (insertion.inserted) return 'placed'
  return insertion.index === '_id_' ? replacePlaceholder(deps, order, deadline) : 'number-in-use'
}

/**
 * Handles the case in which the order or a placeholder is already stored under this id. If it is a placeholder that
 * does not list this attempt, replaces it with the order.
 */
async function replacePlaceholder(
  deps: Pick<Deps, 'Order'>,
  order: Order,
  deadline: number,
): Promise<Exclude<RecordOutcome, 'number-in-use'>> {
  const { _id, attemptId } = order
  const found = await storedOrders(deps).findOne({ _id })
  if (found?.status === 'PLACED') return found.attemptId === attemptId ? 'placed' : 'placed-before'
  // A later attempt may have added its id to the placeholder in the meantime, because that attempt was rejected. The
  // merchant has then already received an error, so the order must not be placed. Therefore, this write replaces the
  // placeholder only if the placeholder has not changed since it was read. No later attempt starts before the deadline.
  const isOpen = found !== null && !found.released.includes(attemptId) && performance.now() < deadline
  if (!isOpen) return 'released'
  const { released } = found
  const { matchedCount } = await storedOrders(deps).replaceOne({ _id, status: 'RELEASED', released }, order)
  return matchedCount === 1 ? 'placed' : 'released'
}

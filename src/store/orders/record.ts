import type { Deps } from '../../deps.ts'
import { type Order, storedOrders } from './order.ts'

/**
 * The outcome of an attempt:
 * - `placed`: this attempt has placed the order.
 * - `placed-before`: another attempt had already placed the order.
 * - `released`: this attempt may no longer place the order, because the order's placeholder lists the attempt or has
 *   just changed, or because the deadline has passed.
 * - `number-in-use`: the order number is already in use, so nothing was written.
 */
export type RecordOutcome = 'placed' | 'placed-before' | 'released' | 'number-in-use'

/**
 * Places the order in ONE write. Once the order is stored, all units that this attempt has reserved count as sold. If
 * MongoDB fails, it is unknown whether the order was placed. `resolveReservation` (reservations.ts) determines that
 * later. No write is sent to MongoDB after the deadline.
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
  // While this attempt is running, no later attempt starts before the deadline. The placeholder that was just read can
  // therefore list only this attempt and earlier attempts. Before the write below, however, a later attempt may be
  // rejected and added to the placeholder. The merchant then receives an error, so the order must not be placed.
  // Therefore, the write replaces the placeholder only if its list of attempts has not changed since it was read.
  const isOpen = found !== null && !found.released.includes(attemptId) && performance.now() < deadline
  if (!isOpen) return 'released'
  const { released } = found
  const { matchedCount } = await storedOrders(deps).replaceOne({ _id, status: 'RELEASED', released }, order)
  return matchedCount === 1 ? 'placed' : 'released'
}

import type { Deps } from '../../deps.ts'
import { type Order, storedOrders } from './order.ts'

/**
 * The outcome of an attempt: it placed the order, another attempt had placed it before, the attempt was released, or
 * its order number is already in use and nothing was written.
 */
export type RecordOutcome = 'placed' | 'placed-before' | 'released' | 'number-in-use'

/**
 * Places the order in ONE write, which settles all reservations of its attempt. If MongoDB fails, the outcome is
 * unknown, and `resolveReservation` decides later (reservations.ts). Sends nothing after the deadline.
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
 * Handles an id that is already used by the order or by a placeholder. Replaces a placeholder that does not list this
 * attempt.
 */
async function replacePlaceholder(
  deps: Pick<Deps, 'Order'>,
  order: Order,
  deadline: number,
): Promise<Exclude<RecordOutcome, 'number-in-use'>> {
  const { _id, attemptId } = order
  const found = await storedOrders(deps).findOne({ _id })
  if (found?.status === 'PLACED') return found.attemptId === attemptId ? 'placed' : 'placed-before'
  // A later attempt may have been rejected in the meantime and have added its id to the placeholder. The merchant has
  // already got that error, so this write replaces the placeholder only if it has not changed. No later attempt starts
  // before the deadline.
  const isOpen = found !== null && !found.released.includes(attemptId) && performance.now() < deadline
  if (!isOpen) return 'released'
  const { released } = found
  const { matchedCount } = await storedOrders(deps).replaceOne({ _id, status: 'RELEASED', released }, order)
  return matchedCount === 1 ? 'placed' : 'released'
}

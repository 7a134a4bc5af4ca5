import type { GuardedUpdate } from '../../mongo/batching/update-batcher.ts'

/**
 * Returns a guarded update for a product that contains an attempt's reservation. `update` must remove the reservation.
 * If the reservation has already been removed, the guarded update has no effect and counts as successful.
 */
export const withoutReservation = (
  productId: string,
  attemptId: string,
  update: GuardedUpdate['update'],
): GuardedUpdate => ({
  filter: { _id: productId, 'reservations.attemptId': attemptId },
  update,
  proof: { 'reservations.attemptId': { $ne: attemptId } },
})

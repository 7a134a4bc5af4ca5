import type { GuardedUpdate } from '../../mongo/batching/update-batcher.ts'

/**
 * Returns an update that removes an attempt's reservation from a product. The update also succeeds if the reservation
 * has already been removed.
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

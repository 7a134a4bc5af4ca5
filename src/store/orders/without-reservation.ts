import type { GuardedUpdate } from '../../mongo/batching/update-batcher.ts'

/** An update that takes the reservation of a try out of a product: where it is gone already, it happened. */
export const withoutReservation = (
  productId: string,
  tryId: string,
  update: GuardedUpdate['update'],
): GuardedUpdate => ({
  filter: { _id: productId, 'reservations.tryId': tryId },
  update,
  proof: { 'reservations.tryId': { $ne: tryId } },
})

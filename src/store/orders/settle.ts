import type { Deps } from '../../deps.ts'
import { noDeadline } from '../../mongo/batching/batcher.ts'
import { withoutReservation } from './without-reservation.ts'

/**
 * Removes the reservations of an attempt that has placed its order. This changes neither the stock nor the revision of
 * the products.
 */
export async function settle(
  deps: Pick<Deps, 'batchers'>,
  attemptId: string,
  reserved: readonly { productId: string }[],
): Promise<void> {
  await Promise.all(
    reserved.map(({ productId }) =>
      deps.batchers.updateProduct(
        withoutReservation(productId, attemptId, { $pull: { reservations: { attemptId } } }),
        noDeadline,
      ),
    ),
  )
}

import type { Deps } from '../../deps.ts'
import { noDeadline } from '../../mongo/batching/batcher.ts'
import type { Reservation } from '../products/product.ts'
import { adjustedStock } from './adjusted-stock.ts'
import { withoutReservation } from './without-reservation.ts'

interface ReservedItems {
  productId: string
  items: Reservation['items']
}

/**
 * Gives the units of an attempt back to the stock, even if their product has been deleted in the meantime. Call this
 * function only for an attempt that can no longer place its order. The function may be called more than once, because
 * the units are given back only once.
 */
export async function giveBack(
  deps: Pick<Deps, 'batchers' | 'now'>,
  attemptId: string,
  reserved: readonly ReservedItems[],
): Promise<void> {
  const now = deps.now()
  await Promise.all(
    reserved.map(({ productId, items }) =>
      deps.batchers.updateProduct(
        withoutReservation(productId, attemptId, [
          {
            $set: {
              variants: adjustedStock(items, 1),
              reservations: {
                $filter: {
                  input: '$reservations',
                  as: 'each',
                  cond: { $ne: ['$$each.attemptId', attemptId] },
                },
              },
              revision: { $add: ['$revision', 1] },
              updatedAt: now,
            },
          },
        ]),
        noDeadline,
      ),
    ),
  )
}

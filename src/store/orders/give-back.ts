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
 * Puts back into stock the units of an attempt that will never place its order, even if the product has been deleted in
 * the meantime. Running it twice puts them back once.
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

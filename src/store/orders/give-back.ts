import type { Deps } from '../../deps.ts'
import { noHurry } from '../../mongo/batching/batcher.ts'
import type { Reservation } from '../products/product.ts'
import { movedStock } from './moved-stock.ts'
import { withoutReservation } from './without-reservation.ts'

/** What a try took of a product. */
interface Taken {
  productId: string
  items: Reservation['items']
}

/** Gives back to the stock what a try took that is never placed; also to a product that was deleted meanwhile. Twice gives it back once. */
export async function giveBack(
  deps: Pick<Deps, 'batchers' | 'now'>,
  tryId: string,
  taken: readonly Taken[],
): Promise<void> {
  const now = deps.now()
  await Promise.all(
    taken.map(({ productId, items }) =>
      deps.batchers.updateProduct(
        withoutReservation(productId, tryId, [
          {
            $set: {
              variants: movedStock(items, 1),
              reservations: {
                $filter: { input: '$reservations', as: 'each', cond: { $ne: ['$$each.tryId', tryId] } },
              },
              revision: { $add: ['$revision', 1] },
              updatedAt: now,
            },
          },
        ]),
        noHurry,
      ),
    ),
  )
}

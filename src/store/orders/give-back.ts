import type { Deps } from '../../deps.ts'
import { noHurry } from '../../group-commit.ts'
import type { GuardedUpdate } from '../../update-lane.ts'
import type { Product, Reservation } from '../products/product.ts'
import { movedStock } from './moved-stock.ts'

type StockDeps = Pick<Deps, 'lanes' | 'now'>

/** What a try took of a product. */
interface Taken {
  productId: string
  items: Reservation['items']
}

/** Gives back to the stock what a try took that is never placed; also to a product that was deleted meanwhile. Twice gives it back once. */
export async function giveBack(deps: StockDeps, attempt: string, taken: readonly Taken[]): Promise<void> {
  const now = deps.now()
  await Promise.all(
    taken.map(({ productId, items }) =>
      deps.lanes.updateProduct(
        withoutReservation(productId, attempt, [
          {
            $set: {
              variants: movedStock(items, 1),
              reservations: {
                $filter: {
                  input: '$reservations',
                  as: 'each',
                  cond: { $ne: ['$$each.attempt', attempt] },
                },
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

/** Forgets the reservations of a try that was placed: what it took is sold. The stock stays, so the revision does. */
export async function settle(
  deps: Pick<Deps, 'lanes'>,
  attempt: string,
  taken: readonly Pick<Taken, 'productId'>[],
): Promise<void> {
  await Promise.all(
    taken.map(({ productId }) =>
      deps.lanes.updateProduct(
        withoutReservation(productId, attempt, { $pull: { reservations: { attempt } } }),
        noHurry,
      ),
    ),
  )
}

const withoutReservation = (
  productId: string,
  attempt: string,
  update: GuardedUpdate<Product>['update'],
): GuardedUpdate<Product> => ({
  filter: { _id: productId, 'reservations.attempt': attempt },
  update,
  isIn: ({ reservations }) => reservations.every((each) => each.attempt !== attempt),
})

import type { Deps } from '../../deps.ts'
import type { GuardedUpdate } from '../../mongo/batching/update-batcher.ts'
import { groupBy } from '../../polyfills/group-by.ts'
import type { Reservation, Variant } from '../products/product.ts'
import type { Try } from './attempt.ts'
import { giveBack } from './give-back.ts'
import type { Line } from './lines.ts'
import { movedStock } from './moved-stock.ts'
import { unitsOf } from './shortfall.ts'

/** What a try takes of one product, with what it was read as: the order has a copy of that, so it must still be so. */
export interface Taking {
  productId: string
  name: string
  variants: Variant[]
  items: Reservation['items']
}

/** The lines by product and variant. Everybody takes in the same order, so that of two that want the same products one gets them all. */
export function takingsOf(lines: Line[]): Taking[] {
  const byProduct = [...groupBy(lines, ({ product }) => product._id)]
  return byProduct
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([productId, some]) => takingOf(productId, some))
}

function takingOf(productId: string, lines: Line[]): Taking {
  const byVariant = [...groupBy(lines, ({ variant }) => variant._id)]
  return {
    productId,
    name: lines[0]?.product.name ?? '',
    variants: byVariant.flatMap(([, [first]]) => first?.variant ?? []),
    items: byVariant.map(([variantId, some]) => ({ variantId, quantity: unitsOf(some) })),
  }
}

/**
 * Takes from the stock what a try wants, product by product, each in one guarded write that leaves a reservation. False, with nothing
 * taken, when one has not enough or is not what it was read as.
 */
export async function reserve(
  deps: Pick<Deps, 'batchers' | 'now'>,
  mine: Try,
  takings: readonly Taking[],
  deadlineAt: number,
): Promise<boolean> {
  for (const [index, taking] of takings.entries()) {
    if (await deps.batchers.updateProduct(planTaking(deps, mine, taking), deadlineAt)) continue
    await giveBack(deps, mine.tryId, takings.slice(0, index))
    return false
  }
  return true
}

/** THE write that takes stock: it never leaves one below 0. It counts as let through also where it was before. */
function planTaking(
  deps: Pick<Deps, 'now'>,
  { order, tryId }: Try,
  { productId, name, variants, items }: Taking,
): GuardedUpdate {
  const now = deps.now()
  const reservation: Reservation = { order, tryId, at: now, items }
  const sold = variants.map(({ _id, label, sku, price }, index) => ({
    $elemMatch: { _id, label, sku, price, stock: { $gte: items[index]?.quantity } },
  }))
  return {
    filter: {
      _id: productId,
      listed: true,
      active: true,
      name,
      variants: { $all: sold },
      'reservations.tryId': { $ne: tryId },
    },
    update: [
      {
        $set: {
          variants: movedStock(items, -1),
          reservations: { $concatArrays: ['$reservations', [{ $literal: reservation }]] },
          revision: { $add: ['$revision', 1] },
          updatedAt: now,
        },
      },
    ],
    proof: { 'reservations.tryId': tryId },
  }
}

import type { Deps } from '../../deps.ts'
import type { GuardedUpdate } from '../../mongo/batching/update-batcher.ts'
import type { Reservation, Variant } from '../products/product.ts'
import { adjustedStock } from './adjusted-stock.ts'
import type { OrderAttempt } from './attempt.ts'
import { giveBack } from './give-back.ts'
import type { Line } from './lines.ts'
import { unitsOf } from './shortfall.ts'

/**
 * The units that an attempt takes from one product. `name` and `variants` contain values that were read from the
 * product. The order will contain a copy of these values, so the write that takes the units checks that the values have
 * not changed since they were read.
 */
export interface PlannedReservation {
  productId: string
  name: string
  variants: Variant[]
  items: Reservation['items']
}

/**
 * Groups the lines by product and variant. All orders reserve their products in the same sequence. If several orders
 * need the same products, one of the orders therefore gets all of them, and the orders do not block each other.
 */
export function planReservations(lines: Line[]): PlannedReservation[] {
  const byProduct = [...Map.groupBy(lines, ({ product }) => product._id)]
  return byProduct
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([productId, linesOfProduct]) => planReservation(productId, linesOfProduct))
}

function planReservation(productId: string, lines: Line[]): PlannedReservation {
  const byVariant = [...Map.groupBy(lines, ({ variant }) => variant._id)]
  return {
    productId,
    name: lines[0]?.product.name ?? '',
    variants: byVariant.flatMap(([, [first]]) => first?.variant ?? []),
    items: byVariant.map(([variantId, linesOfVariant]) => ({ variantId, quantity: unitsOf(linesOfVariant) })),
  }
}

/**
 * Takes the units for one attempt from the stock. For each product in turn, one guarded write takes the units and adds
 * a reservation. Returns false if a product does not have enough stock or has changed since it was read. In that case,
 * the units that this attempt has already taken are given back.
 */
export async function reserve(
  deps: Pick<Deps, 'batchers' | 'now'>,
  attempt: OrderAttempt,
  planned: readonly PlannedReservation[],
  deadline: number,
): Promise<boolean> {
  for (const [index, reservation] of planned.entries()) {
    if (await deps.batchers.updateProduct(planUpdate(deps, attempt, reservation), deadline)) continue
    await giveBack(deps, attempt.attemptId, planned.slice(0, index))
    return false
  }
  return true
}

/**
 * Returns the ONLY write that takes units from the stock for an order. The write never reduces the stock below 0. If
 * the attempt has already made its reservation in this product, the write counts as successful, but does not take the
 * units again.
 */
function planUpdate(
  deps: Pick<Deps, 'now'>,
  { orderId, attemptId }: OrderAttempt,
  { productId, name, variants, items }: PlannedReservation,
): GuardedUpdate {
  const now = deps.now()
  const reservation: Reservation = { orderId, attemptId, reservedAt: now, items }
  const inStock = variants.map(({ _id, label, sku, price }, index) => ({
    $elemMatch: { _id, label, sku, price, stock: { $gte: items[index]?.quantity } },
  }))
  return {
    filter: {
      _id: productId,
      listed: true,
      active: true,
      name,
      variants: { $all: inStock },
      'reservations.attemptId': { $ne: attemptId },
    },
    update: [
      {
        $set: {
          variants: adjustedStock(items, -1),
          reservations: { $concatArrays: ['$reservations', [{ $literal: reservation }]] },
          revision: { $add: ['$revision', 1] },
          updatedAt: now,
        },
      },
    ],
    proof: { 'reservations.attemptId': attemptId },
  }
}

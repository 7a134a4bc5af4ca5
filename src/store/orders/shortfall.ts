import { refuse } from '../../errors.ts'
import { groupBy } from '../../polyfills/group-by.ts'
import type { Line } from './lines.ts'

/**
 * Returns 'enough' if each variant has enough units for all lines together. Returns 'held' if the missing units are
 * held by other orders, which will soon either sell them or give them back. Otherwise, throws INSUFFICIENT_STOCK, which
 * lists every variant that has too few units.
 */
export function checkStock(lines: Line[]): 'enough' | 'held' {
  const shortages = [...groupBy(lines, ({ variant }) => variant._id).values()]
    .map(demandOf)
    .filter(({ item }) => item.requested > item.available)
  if (shortages.length === 0) return 'enough'
  if (shortages.every(({ item, held }) => item.requested <= item.available + held)) return 'held'
  throw refuse('INSUFFICIENT_STOCK', { details: { items: shortages.map(({ item }) => item) } })
}

/**
 * Returns the number of units that these lines of one variant request in total, and the number of units that orders
 * hold. `param` is taken from the first line.
 */
function demandOf(lines: Line[]) {
  const [{ param, product, variant }] = lines as [Line]
  const item = {
    param,
    productId: product._id,
    variantId: variant._id,
    requested: unitsOf(lines),
    available: variant.stock,
  }
  const reserved = product.reservations.flatMap(({ items }) => items)
  return { item, held: unitsOf(reserved.filter(({ variantId }) => variantId === variant._id)) }
}

export const unitsOf = (items: readonly { quantity: number }[]): number =>
  items.reduce((sum, { quantity }) => sum + quantity, 0)

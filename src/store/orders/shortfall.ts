import { refuse } from '../../errors.ts'
import type { Line } from './lines.ts'

/**
 * Returns 'enough' if each variant has enough units for all of its lines together. Returns 'held' if orders hold at
 * least as many units as are missing. Those orders will soon either sell the units or give them back. Otherwise, throws
 * an INSUFFICIENT_STOCK error, which lists every variant that has too few units.
 */
export function checkStock(lines: Line[]): 'enough' | 'held' {
  const shortages = [...Map.groupBy(lines, ({ variant }) => variant._id).values()]
    .map(demandOf)
    .filter(({ item }) => item.requested > item.available)
  if (shortages.length === 0) return 'enough'
  if (shortages.every(({ item, held }) => item.requested <= item.available + held)) return 'held'
  throw refuse('INSUFFICIENT_STOCK', { details: { items: shortages.map(({ item }) => item) } })
}

/**
 * Returns how many units of one variant these lines request in total, how many are in stock, and how many are held by
 * orders. All lines must be for the same variant. The returned `param` is the first line's `param`.
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

import { refuse } from '../../errors.ts'
import { groupBy } from '../../polyfills/group-by.ts'
import type { Line } from './lines.ts'

/**
 * Whether there is enough of each variant for the lines together. 'held' when what lacks may come back: other orders have taken it, and
 * either sell it or give it back in a moment. Else INSUFFICIENT_STOCK with every variant that lacks.
 */
export function judgeStock(lines: Line[]): 'enough' | 'held' {
  const lacking = [...groupBy(lines, ({ variant }) => variant._id).values()]
    .map(wanted)
    .filter(({ item }) => item.requested > item.available)
  if (lacking.length === 0) return 'enough'
  if (lacking.every(({ item, held }) => item.requested <= item.available + held)) return 'held'
  throw refuse('INSUFFICIENT_STOCK', { details: { items: lacking.map(({ item }) => item) } })
}

/** What all lines of one variant want, the first of them names the field; and how much of it orders hold. */
function wanted(lines: Line[]) {
  const [{ param, product, variant }] = lines as [Line]
  const item = {
    param,
    productId: product._id,
    variantId: variant._id,
    requested: unitsOf(lines),
    available: variant.stock,
  }
  const taken = product.reservations.flatMap(({ items }) => items)
  return { item, held: unitsOf(taken.filter(({ variantId }) => variantId === variant._id)) }
}

export const unitsOf = (some: readonly { quantity: number }[]): number =>
  some.reduce((sum, { quantity }) => sum + quantity, 0)

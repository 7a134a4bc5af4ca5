import { refuse } from '../../errors.ts'
import { groupBy } from '../../group-by.ts'
import type { Line } from './lines.ts'

/** INSUFFICIENT_STOCK with every variant of which the lines together want more than there is. */
export function refuseShortfall(lines: Line[]): void {
  const items = [...groupBy(lines, ({ variant }) => variant._id).values()].map(wanted)
  const lacking = items.filter(({ requested, available }) => requested > available)
  if (lacking.length > 0) throw refuse('INSUFFICIENT_STOCK', { details: { items: lacking } })
}

/** What all lines of one variant want; the first of them names the field. */
function wanted(lines: Line[]) {
  const [{ param, product, variant }] = lines as [Line]
  return {
    param,
    productId: product._id,
    variantId: variant._id,
    requested: unitsOf(lines),
    available: variant.stock,
  }
}

export const unitsOf = (lines: readonly Pick<Line, 'quantity'>[]): number =>
  lines.reduce((sum, { quantity }) => sum + quantity, 0)

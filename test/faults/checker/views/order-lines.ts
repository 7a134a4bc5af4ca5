import type { Round } from '../round.ts'
import { groupsOf, sumOf } from './groups.ts'
import { type AskedLine, variantNamed } from './stock-changes.ts'

/** How many of each variant: two lines of one may be one line. */
export function unitsOf<Id>(lines: { variantId: Id; quantity: number }[]): Map<Id, number> {
  const byVariant = groupsOf(lines, ({ variantId }) => variantId)
  return new Map([...byVariant].map(([id, some]) => [id, sumOf(some, ({ quantity }) => quantity)]))
}

/** The same of lines that are asked for; undefined is a variant that nobody knows. */
export const unitsAskedFor = (
  round: Pick<Round, 'variantsOf'>,
  lines: AskedLine[],
): Map<string | undefined, number> =>
  unitsOf(
    lines.map(({ productId, variantId, variantLabel = '', quantity }) => ({
      variantId: variantNamed(round, productId, variantId ?? variantLabel) ?? variantId,
      quantity,
    })),
  )

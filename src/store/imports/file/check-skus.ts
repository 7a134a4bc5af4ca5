import { inSlices } from '../../../process/in-slices.ts'
import type { Faults } from './faults.ts'
import type { ProductRow } from './row.ts'

/** A row, and what it is about; null for a product or a variant that is new. */
export interface MatchedRow {
  row: ProductRow
  productId: string | null
  variantId: string | null
  /** Whether it gives its variant a SKU that this one does not have. */
  givesSku: boolean
}

/** Who has a SKU. */
export interface SkuOwner {
  productId: string
  handle: string
  variantId: string
}

/**
 * A SKU is one variant's: told are those that stand twice in the file, and those that another variant has and keeps. Variants of one product
 * may exchange theirs; from one product to another none moves in one import, because no single write could do it. `owners` are those of the SKUs
 * that rows give.
 */
export async function checkSkus(
  matched: readonly MatchedRow[],
  owners: ReadonlyMap<string, SkuOwner>,
  faults: Pick<Faults, 'add'>,
): Promise<void> {
  const gives = new Map(matched.map(({ row, variantId }) => [variantId, row.sku]))
  const firstRows = new Map<string, number>()
  await inSlices(matched, (each) => {
    const { row, sku } = each.row
    if (sku === null) return
    const first = firstRows.get(sku)
    firstRows.set(sku, first ?? row)
    const message =
      first === undefined ? heldBy(owners.get(sku), each, gives) : `This SKU stands in row ${first} already.`
    if (message !== null) faults.add({ row, column: 'sku', message })
  })
}

function heldBy(
  owner: SkuOwner | undefined,
  { productId, variantId }: MatchedRow,
  gives: ReadonlyMap<string | null, string | null>,
): string | null {
  if (owner === undefined || owner.variantId === variantId) return null
  if (owner.productId !== productId)
    return `The product with the handle ${owner.handle} has this SKU: change it there first.`
  const isGivenAway = (gives.get(owner.variantId) ?? null) !== null
  return isGivenAway ? null : 'Another variant of this product has this SKU.'
}

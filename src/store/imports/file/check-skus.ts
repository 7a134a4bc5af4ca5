import { inSlices } from '../../../process/in-slices.ts'
import type { Faults } from './faults.ts'
import type { ProductRow } from './row.ts'

/** A row and the ids of its product and variant. The ids are null if the product or variant is new. */
export interface MatchedRow {
  row: ProductRow
  productId: string | null
  variantId: string | null
  /** Whether the row assigns a new SKU to its variant. */
  givesSku: boolean
}

/** The variant to which a SKU currently belongs. */
export interface SkuOwner {
  productId: string
  handle: string
  variantId: string
}

/**
 * Adds a fault for each SKU that occurs twice in the file, or that belongs to a different variant and is not given up
 * by it. Variants of the same product may swap SKUs. A single import cannot transfer a SKU to a different product,
 * because each write changes only one product. `owners` maps the SKUs in the rows to their current owners.
 */
export async function checkSkus(
  matched: readonly MatchedRow[],
  owners: ReadonlyMap<string, SkuOwner>,
  faults: Pick<Faults, 'add'>,
): Promise<void> {
  const givenSkus = new Map(matched.map(({ row, variantId }) => [variantId, row.sku]))
  const firstRows = new Map<string, number>()
  await inSlices(matched, (each) => {
    const { row, sku } = each.row
    if (sku === null) return
    const first = firstRows.get(sku)
    firstRows.set(sku, first ?? row)
    const message =
      first === undefined
        ? heldBy(owners.get(sku), each, givenSkus)
        : `This SKU stands in row ${first} already.`
    if (message !== null) faults.add({ row, column: 'sku', message })
  })
}

function heldBy(
  owner: SkuOwner | undefined,
  { productId, variantId }: MatchedRow,
  givenSkus: ReadonlyMap<string | null, string | null>,
): string | null {
  if (owner === undefined || owner.variantId === variantId) return null
  if (owner.productId !== productId)
    return `The product with the handle ${owner.handle} has this SKU: change it there first.`
  const isGivenAway = (givenSkus.get(owner.variantId) ?? null) !== null
  return isGivenAway ? null : 'Another variant of this product has this SKU.'
}

import { inSlices } from '../../../platform/in-slices.ts'
import type { Faults, ProductRow } from './row.ts'

/**
 * A row of the file, with the ids of the existing product and variant that the row describes. `productId` is null if
 * the product is new, and `variantId` is null if the variant is new.
 */
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
 * Adds a fault for each row whose SKU already occurs in an earlier row. Also adds a fault for each row whose SKU
 * belongs to a different variant, unless that variant is of the same product and gets another SKU from the file.
 * Variants of the same product may therefore swap SKUs. An import cannot transfer a SKU from one product to another,
 * because each write changes only one product. `owners` maps each new SKU in the rows to the variant that currently has
 * that SKU.
 */
export async function checkSkus(
  matched: readonly MatchedRow[],
  owners: ReadonlyMap<string, SkuOwner>,
  faults: Faults,
): Promise<void> {
  const givenSkus = new Map(matched.map(({ row, variantId }) => [variantId, row.sku]))
  const firstRows = new Map<string, number>()
  await inSlices(matched, (each) => {
    const { row, sku } = each.row
    if (sku === null) return
    const first = firstRows.get(sku)
    firstRows.set(sku, first ?? row)
    const message =
      first === undefined ? heldBy(owners.get(sku), each, givenSkus) : `Row ${first} already has this SKU.`
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

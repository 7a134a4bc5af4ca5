import { inSlices } from '../../../process/in-slices.ts'
import type { Faults } from './faults.ts'
import type { ProductRow } from './row.ts'

/** A row with its product and its variant, or null if these are new. */
export interface MatchedRow {
  row: ProductRow
  productId: string | null
  variantId: string | null
  /** Whether the row gives its variant a new SKU. */
  givesSku: boolean
}

/** The variant that has a SKU now. */
export interface SkuOwner {
  productId: string
  handle: string
  variantId: string
}

/**
 * Adds a fault for each SKU that occurs twice in the file, or that another variant has and keeps. Variants of one
 * product may exchange SKUs. A SKU cannot change to another product in one import, because one write changes one
 * product only. `owners` contains the current owners of the SKUs that rows give.
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

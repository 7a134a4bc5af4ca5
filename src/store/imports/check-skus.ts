import type { Product } from '../products/product.ts'
import type { Faults } from './faults.ts'
import type { Match } from './match-rows.ts'

type Standing = Pick<Product, '_id' | 'handle' | 'variants'>

/** A row's match, and the product that it is of; null for a new one. */
export type Placed = Match & { product: Standing | null }

/**
 * A SKU is one variant's: told are those that stand twice in the file, and those that another variant has and keeps. Variants of one product
 * may exchange theirs; from one product to another none moves in one import, because no single write could do it.
 */
export function checkSkus(
  placed: readonly Placed[],
  standing: readonly Standing[],
  faults: Pick<Faults, 'add'>,
): void {
  const owners = new Map<string, { product: Standing; variantId: string }>()
  for (const product of standing)
    for (const { _id, sku } of product.variants)
      if (sku !== null) owners.set(sku, { product, variantId: _id })
  const gives = new Map(placed.map(({ row, variant }) => [variant?._id, row.sku]))
  const firstRows = new Map<string, number>()
  for (const { row, product, variant } of placed) {
    if (row.sku === null) continue
    const first = firstRows.get(row.sku)
    firstRows.set(row.sku, first ?? row.row)
    const message =
      first === undefined
        ? heldBy(owners.get(row.sku), product, variant?._id, gives)
        : `This SKU stands in row ${first} already.`
    if (message !== null) faults.add({ row: row.row, column: 'sku', message })
  }
}

function heldBy(
  owner: { product: Standing; variantId: string } | undefined,
  product: Standing | null,
  variantId: string | undefined,
  gives: ReadonlyMap<string | undefined, string | null>,
): string | null {
  if (owner === undefined || owner.variantId === variantId) return null
  if (owner.product._id !== product?._id)
    return `The product with the handle ${owner.product.handle} has this SKU: change it there first.`
  const isGivenAway = (gives.get(owner.variantId) ?? null) !== null
  return isGivenAway ? null : 'Another variant of this product has this SKU.'
}

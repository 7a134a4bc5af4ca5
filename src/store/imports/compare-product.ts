import { newId } from '../../ids.ts'
import { mostVariants, type Product, type Variant } from '../products/product.ts'
import { skusOf } from '../products/skus.ts'
import type { Placed } from './check-skus.ts'
import type { Faults } from './faults.ts'
import { type Match, matchRows } from './match-rows.ts'
import type { ProductPatch } from './plan.ts'
import { readProductCells } from './read-product-cells.ts'
import type { ProductRow } from './row.ts'

/** What an import looks at of a product that is there. */
export type StandingProduct = Pick<Product, '_id' | 'handle' | 'name' | 'description' | 'active' | 'variants'>

/** A product that an import makes. */
export type NewProduct = Pick<Product, 'name' | 'description' | 'active' | 'variants'> & { handle: string }

/** The SKUs that a product's variants are given, and those of them that none of its variants has yet. */
export interface WantedSkus {
  productId: string
  skus: string[]
  fresh: string[]
}

/** One product of the file: made, changed or neither, and which rows stand for which of its variants. */
export interface Outcome {
  handle: string
  placed: Placed[]
  created: NewProduct | null
  patch: ProductPatch | null
  /** Null where the patch gives no SKU. */
  wanted: WantedSkus | null
  /** How many variants are made or changed. */
  variants: number
}

/** Compares the rows of one handle with the product that has it; null where there is none. */
export function compareProduct(
  handle: string,
  rows: readonly ProductRow[],
  product: StandingProduct | null,
  faults: Pick<Faults, 'add'>,
): Outcome {
  const said = readProductCells(rows, faults)
  const matches = matchRows(rows, product?.variants ?? [], faults)
  const added = matches.filter(({ variant }) => variant === null).map((match) => newVariant(match, faults))
  const [{ row }] = rows as [ProductRow]
  const count = (product?.variants.length ?? 0) + added.length
  if (count > mostVariants) faults.add({ row, column: null, message: tooMany(count) })
  const placed = matches.map((match) => ({ ...match, product }))
  if (product !== null) {
    const patch = patchOf(product, said, matches, added)
    const variants = patch.variants.length + added.length
    const isChanged = variants > 0 || Object.keys(patch.set).length > 0
    const wanted = wantedSkus(product, patch)
    return { handle, placed, created: null, patch: isChanged ? patch : null, wanted, variants }
  }
  if (said.name === undefined) faults.add({ row, column: 'name', message: 'A new product needs a name.' })
  if (count === 0) faults.add({ row, column: 'price', message: priceMissing })
  const { name = '', description = '', active = true } = said
  const created = { handle, name, description, active, variants: added }
  return { handle, placed, created, patch: null, wanted: null, variants: added.length }
}

const priceMissing = 'A new variant needs a price, in centimes.'
const tooMany = (count: number): string =>
  `This product would have ${count} variants; it may have ${mostVariants}.`

function newVariant({ row, label }: Match, faults: Pick<Faults, 'add'>): Variant {
  if (row.price === null) faults.add({ row: row.row, column: 'price', message: priceMissing })
  return { _id: newId(), label, sku: row.sku, price: row.price ?? 0, stock: row.stock ?? 0 }
}

/** Only what differs: what somebody else changes meanwhile, and the file does not, stays. */
function patchOf(
  product: StandingProduct,
  said: ProductPatch['set'],
  matches: readonly Match[],
  added: Variant[],
): ProductPatch {
  const variants = matches.flatMap(({ row, variant }) => (variant === null ? [] : variantPatch(row, variant)))
  return { productId: product._id, set: differing(said, product), variants, added }
}

function wantedSkus({ _id, variants }: StandingProduct, patch: ProductPatch): WantedSkus | null {
  const skus = skusOf([...patch.variants, ...patch.added])
  const own = new Set(skusOf(variants))
  return skus.length === 0 ? null : { productId: _id, skus, fresh: skus.filter((sku) => !own.has(sku)) }
}

function variantPatch({ sku, price, stock }: ProductRow, variant: Variant): ProductPatch['variants'] {
  const said = {
    ...(sku === null ? {} : { sku }),
    ...(price === null ? {} : { price }),
    ...(stock === null ? {} : { stock }),
  }
  const changed = differing(said, variant)
  return Object.keys(changed).length === 0 ? [] : [{ _id: variant._id, ...changed }]
}

const differing = <Said extends object>(said: Said, there: Partial<Record<keyof Said, unknown>>): Said =>
  Object.fromEntries(
    Object.entries(said).filter(([field, value]) => there[field as keyof Said] !== value),
  ) as Said

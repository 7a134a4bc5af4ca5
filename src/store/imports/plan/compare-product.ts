import { maxVariants } from '../../../../schemas/product-limits.ts'
import { newVariant } from '../../products/new-product.ts'
import type { Product, Variant } from '../../products/product.ts'
import type { MatchedRow } from '../file/check-skus.ts'
import type { Faults } from '../file/faults.ts'
import { type Match, matchRows } from '../file/match-rows.ts'
import { readProductCells } from '../file/read-product-cells.ts'
import type { ProductRow } from '../file/row.ts'
import type { ProductPatch } from './plan.ts'

/** The fields of an existing product that are compared with the file. */
export type ExistingProduct = Pick<Product, '_id' | 'handle' | 'name' | 'active' | 'variants'> &
  Partial<Pick<Product, 'description'>>

/** A product that an import creates. */
export type NewProduct = Pick<Product, 'name' | 'description' | 'active' | 'variants'> & { handle: string }

/** The changes that an import makes to an existing product. */
export interface ChangedProduct {
  patch: ProductPatch
  /** The ids of the variants that the rows were compared with, in the product's own order. */
  comparedVariants: string[]
}

/**
 * The result of comparing all rows for one handle with the product that has this handle. To save memory, the result
 * contains only what the import needs, and not the whole existing product.
 */
export interface Outcome {
  handle: string
  matched: MatchedRow[]
  created: NewProduct | null
  changed: ChangedProduct | null
  /** The number of variants that will be created or changed. */
  variants: number
}

/**
 * Compares all rows for one handle with the product that has this handle. `product` is null if there is no such
 * product. In that case, the import creates the product.
 */
export function compareProduct(
  handle: string,
  rows: readonly ProductRow[],
  product: ExistingProduct | null,
  faults: Pick<Faults, 'add'>,
): Outcome {
  const values = readProductCells(rows, faults)
  const matches = matchRows(rows, product?.variants ?? [], faults)
  const added = matches.filter(({ variant }) => variant === null).map((match) => addedVariant(match, faults))
  const [{ row }] = rows as [ProductRow]
  const count = (product?.variants.length ?? 0) + added.length
  if (count > maxVariants) faults.add({ row, column: null, message: tooMany(count) })
  const matched = matches.map((match) => matchedRow(match, product))
  if (product !== null) {
    const patch = patchOf(product, values, matches, added)
    const variants = patch.variants.length + added.length
    const isChanged = variants > 0 || Object.keys(patch.set).length > 0
    const changed = isChanged ? { patch, comparedVariants: product.variants.map(({ _id }) => _id) } : null
    return { handle, matched, created: null, changed, variants }
  }
  if (values.name === undefined) faults.add({ row, column: 'name', message: 'A new product needs a name.' })
  if (count === 0) faults.add({ row, column: 'price', message: priceMissing })
  const { name = '', description = '', active = true } = values
  const created = { handle, name, description, active, variants: added }
  return { handle, matched, created, changed: null, variants: added.length }
}

const priceMissing = 'A new variant needs a price, in centimes.'
const tooMany = (count: number): string =>
  `This product would have ${count} variants. It can have at most ${maxVariants}.`

const matchedRow = ({ row, variant }: Match, product: ExistingProduct | null): MatchedRow => ({
  row,
  productId: product?._id ?? null,
  variantId: variant?._id ?? null,
  givesSku: row.sku !== null && row.sku !== variant?.sku,
})

function addedVariant({ row, label }: Match, faults: Pick<Faults, 'add'>): Variant {
  if (row.price === null) faults.add({ row: row.row, column: 'price', message: priceMissing })
  return newVariant({ label, sku: row.sku, price: row.price ?? 0, stock: row.stock })
}

/**
 * Returns a patch that contains only the fields that differ. The import therefore preserves concurrent changes to other
 * fields.
 */
function patchOf(
  product: ExistingProduct,
  values: ProductPatch['set'],
  matches: readonly Match[],
  added: Variant[],
): ProductPatch {
  const variants = matches.flatMap(({ row, variant }) => (variant === null ? [] : variantPatch(row, variant)))
  return { productId: product._id, set: differences(values, product), variants, added }
}

function variantPatch({ sku, price, stock }: ProductRow, variant: Variant): ProductPatch['variants'] {
  const values = {
    ...(sku === null ? {} : { sku }),
    ...(price === null ? {} : { price }),
    ...(stock === null ? {} : { stock }),
  }
  const changed = differences(values, variant)
  return Object.keys(changed).length === 0 ? [] : [{ _id: variant._id, ...changed }]
}

const differences = <Values extends object>(values: Values, current: Partial<Record<keyof Values, unknown>>): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([field, value]) => current[field as keyof Values] !== value),
  ) as Values

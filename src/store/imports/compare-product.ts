import { maxProductBytes, maxProductVariants } from '../../../schemas/products.ts'
import { measureBson } from '../../mongo/collection.ts'
import { newId } from '../../platform/ids.ts'
import {
  buildProduct,
  buildVariant,
  collectSkus,
  type ProductDraft,
  productSizeMessage,
} from '../products/create.ts'
import { defaultVariantLabel, type Product, type Variant } from '../products/product.ts'
import type { CsvErrors, MatchedRow, ProductRow } from './rows.ts'

export type ExistingProduct = Pick<Product, '_id' | 'handle' | 'name' | 'active' | 'variants'> &
  Partial<Pick<Product, 'description'>> & { bytes: number }

/** Variant fields have names such as `variants.3.sku`. */
interface ChangedProduct {
  _id: string
  set: Record<string, unknown>
}

export interface ProductComparison {
  handle: string
  matched: MatchedRow[]
  created: ProductDraft | null
  changed: ChangedProduct | null
  growth: number
  variants: number
}

export function compareProduct(
  { businessId, sandbox }: Pick<Product, 'businessId' | 'sandbox'>,
  handle: string,
  rows: readonly ProductRow[],
  product: ExistingProduct | null,
  faults: CsvErrors,
): ProductComparison {
  const values = readProductCells(rows, faults)
  const matches = matchRows(rows, product?.variants ?? [], faults)
  const added = matches.filter(({ variant }) => variant === null).map((match) => addedVariant(match, faults))
  const [{ row }] = rows as [ProductRow]
  const count = (product?.variants.length ?? 0) + added.length
  if (count > maxProductVariants) {
    const message = `This product would have ${count} variants. It can have at most ${maxProductVariants}.`
    faults.add(row, null, message)
  }
  const matched = matches.map((match) => matchedRow(match, product))
  if (product !== null) {
    const patches = matches.flatMap(patchOf)
    const set = { ...differences(values, product), ...changedVariants(product.variants, patches, added) }
    const changed = Object.keys(set).length > 0 ? { _id: product._id, set } : null
    const growth = growthOf(product, values, patches, added)
    if (growth > 0) refuseLarge(rows, product.bytes + growth, faults)
    return { handle, matched, created: null, changed, growth, variants: patches.length + added.length }
  }
  if (values.name === undefined) faults.add(row, 'name', 'A new product needs a name.')
  if (count === 0) faults.add(row, 'price', priceMissing)
  const { name = '', description = '', active = true } = values
  const described = { handle, name, description, active, variants: added, images: [] }
  const created = { ...described, _id: newId(), businessId, sandbox }
  const growth = measureBson(buildProduct(created, new Date(0)))
  refuseLarge(rows, growth, faults)
  return { handle, matched, created, changed: null, growth, variants: added.length }
}

function growthOf(product: ExistingProduct, values: ProductCells, patches: VariantPatch[], added: Variant[]) {
  const { variants: old, name, description, active } = product
  const changes = new Map(patches.map(({ variant, set }) => [variant, set]))
  const next = [...old.map((variant) => ({ ...variant, ...changes.get(variant) })), ...added]
  const before = { name, description, active, variants: old, skus: collectSkus(old) }
  const after = { ...before, ...values, variants: next, skus: collectSkus(next) }
  return Math.max(0, measureBson(after) - measureBson(before))
}

/** Reports the error at the first cell of the largest column. */
function refuseLarge(rows: readonly ProductRow[], bytes: number, faults: CsvErrors): void {
  if (bytes <= maxProductBytes) return
  const sized = (['name', 'description', 'variant_label', 'sku'] as const).map((column) => ({
    column,
    row: rows.find((row) => row[column] !== null)?.row ?? rows[0]?.row ?? 0,
    bytes: rows.reduce((sum, row) => sum + Buffer.byteLength(row[column] ?? ''), 0),
  }))
  const [{ row, column }] = sized.toSorted((a, b) => b.bytes - a.bytes) as [(typeof sized)[number]]
  faults.add(row, column, productSizeMessage(bytes), 'PAYLOAD_TOO_LARGE')
}

const priceMissing = 'A new variant needs a price, in centimes.'

const cells = ['name', 'description', 'active'] as const

type ProductCells = Partial<Pick<Product, (typeof cells)[number]>>

function readProductCells(rows: readonly ProductRow[], faults: CsvErrors): ProductCells {
  const values: Partial<Record<(typeof cells)[number], string | boolean>> = {}
  for (const row of rows)
    for (const cell of cells) {
      const value = row[cell]
      if (value === null) continue
      if (values[cell] === undefined) values[cell] = value
      else if (values[cell] !== value) faults.add(row.row, cell, contradiction)
    }
  return values as ProductCells
}

const contradiction = 'An earlier row of this product has a different value.'

const matchedRow = ({ row, variant }: Match, product: ExistingProduct | null): MatchedRow => ({
  row,
  productId: product?._id ?? null,
  variantId: variant?._id ?? null,
  givesSku: row.sku !== null && row.sku !== variant?.sku,
})

function addedVariant({ row, label }: Match, faults: CsvErrors): Variant {
  if (row.price === null) faults.add(row.row, 'price', priceMissing)
  return buildVariant({ label, sku: row.sku, price: row.price ?? 0, stock: row.stock })
}

interface VariantPatch {
  variant: Variant
  set: Partial<Pick<Variant, 'sku' | 'price' | 'stock'>>
}

function patchOf({ row: { sku, price, stock }, variant }: Match): VariantPatch[] {
  if (variant === null) return []
  const set = differences({ sku, price, stock }, variant)
  return Object.keys(set).length === 0 ? [] : [{ variant, set }]
}

function changedVariants(variants: Variant[], patches: VariantPatch[], added: Variant[]) {
  const set: ChangedProduct['set'] = {}
  for (const { variant, set: fields } of patches)
    for (const [field, value] of Object.entries(fields))
      set[`variants.${variants.indexOf(variant)}.${field}`] = value
  for (const [index, variant] of added.entries()) set[`variants.${variants.length + index}`] = variant
  if (collectSkus([...patches.map((patch) => patch.set), ...added]).length === 0) return set
  const given = new Map(patches.map((patch) => [patch.variant, patch.set.sku]))
  const kept = variants.map((variant) => ({ sku: given.get(variant) ?? variant.sku }))
  return { ...set, skus: collectSkus([...kept, ...added]) }
}

function differences<Values extends object>(values: Values, current: { [Field in keyof Values]?: unknown }) {
  const isNew = ([field, value]: [string, unknown]) =>
    value !== null && current[field as keyof Values] !== value
  return Object.fromEntries(Object.entries(values).filter(isNew)) as {
    [Field in keyof Values]?: NonNullable<Values[Field]>
  }
}

interface Match {
  row: ProductRow
  label: string
  variant: Variant | null
}

/**
 * Matches rows with variants of the same label by SKU, then in order.
 * It's an error if a label has fewer rows left than variants, or if a row
 * without a SKU is left over, because it's most likely a duplicate.
 */
function matchRows(rows: readonly ProductRow[], variants: readonly Variant[], faults: CsvErrors): Match[] {
  const ofVariants = rows.filter(describesVariant)
  for (const { row } of ofVariants.filter((each) => isUnclear(each, variants)))
    faults.add(row, 'variant_label', unlabelled)
  const byLabel = Map.groupBy(ofVariants, (row) => labelOf(row, variants))
  const matches = [...byLabel].flatMap(([label, labelled]) => {
    const withLabel = variants.filter((variant) => variant.label === label)
    return matchLabel(labelled, label, withLabel, faults)
  })
  return matches.toSorted((a, b) => a.row.row - b.row.row)
}

const describesVariant = ({ variant_label, sku, price, stock }: ProductRow): boolean =>
  [variant_label, sku, price, stock].some((cell) => cell !== null)

function labelOf({ variant_label: label, sku }: ProductRow, variants: readonly Variant[]): string {
  if (label !== null) return label
  const known = variants.find((variant) => sku !== null && variant.sku === sku)
  const only = variants.length === 1 ? variants[0] : undefined
  return (known ?? only)?.label ?? defaultVariantLabel
}

/** Hardly any merchant wants a variant called `Default`. */
const isUnclear = ({ variant_label: label, sku }: ProductRow, variants: readonly Variant[]): boolean =>
  label === null &&
  variants.length > 1 &&
  !variants.some((variant) => variant.label === defaultVariantLabel || (sku !== null && variant.sku === sku))

const unlabelled = 'This product has several variants. Enter the label of an existing variant or a new one.'

function matchLabel(rows: ProductRow[], label: string, variants: Variant[], faults: CsvErrors): Match[] {
  const bySku = new Map<ProductRow, Variant>()
  for (const row of rows) {
    const variant = variants.find(({ sku }) => sku !== null && sku === row.sku)
    if (variant !== undefined && ![...bySku.values()].includes(variant)) bySku.set(row, variant)
  }
  const named = new Set(bySku.values())
  const left = variants.filter((variant) => !named.has(variant))
  const others = rows.filter((row) => !bySku.has(row))
  const isClear = others.length >= left.length
  const surplus = variants.length === 0 ? [] : others.slice(left.length).filter(({ sku }) => sku === null)
  for (const { row } of surplus) faults.add(row, 'variant_label', duplicateRow)
  if (!isClear) for (const { row } of others) faults.add(row, 'variant_label', ambiguous)
  return [
    ...[...bySku].map(([row, variant]) => ({ row, label, variant })),
    ...(isClear ? others.map((row, index) => ({ row, label, variant: left[index] ?? null })) : []),
  ]
}

const ambiguous =
  'Several variants of this product have this label. Enter the sku of the right one, or write one row for each of them.'

const duplicateRow =
  'There are more rows than variants with this label. Remove the duplicate row, or enter the sku of a new variant.'

import { groupBy } from '../../../polyfills/group-by.ts'
import { defaultLabel, type Variant } from '../../products/product.ts'
import type { Faults } from './faults.ts'
import type { ProductRow } from './row.ts'

/** A row and the variant that it stands for; null where it makes a new one, with that label. */
export interface Match {
  row: ProductRow
  label: string
  variant: Variant | null
}

/**
 * Which variants the rows of one product stand for. Rows with one label stand for the product's variants with that label: first those whose
 * SKU says so, then the others in order, and what is left over makes new ones. Fewer rows than variants tell nothing then, which is a fault; and so is
 * a row left over that has no SKU of its own: it was hardly meant for a second variant of the same label.
 * A row that has no cell of a variant filled in speaks of the product only.
 */
export function matchRows(
  rows: readonly ProductRow[],
  variants: readonly Variant[],
  faults: Pick<Faults, 'add'>,
): Match[] {
  const ofVariants = rows.filter(speaksOfVariant)
  for (const { row } of ofVariants.filter((each) => isUntold(each, variants)))
    faults.add({ row, column: 'variant_label', message: untold })
  const byLabel = groupBy(ofVariants, (row) => labelOf(row, variants))
  const matches = [...byLabel].flatMap(([label, some]) =>
    matchLabel(
      some,
      label,
      variants.filter((variant) => variant.label === label),
      faults,
    ),
  )
  // New variants stand in the order of the file.
  return matches.toSorted((a, b) => a.row.row - b.row.row)
}

const speaksOfVariant = ({ variantLabel, sku, price, stock }: ProductRow): boolean =>
  [variantLabel, sku, price, stock].some((cell) => cell !== null)

/** A blank one is that of the variant with the row's SKU, else of the only variant, else `Default`. */
function labelOf({ variantLabel, sku }: ProductRow, variants: readonly Variant[]): string {
  if (variantLabel !== null) return variantLabel
  const known = variants.find((variant) => sku !== null && variant.sku === sku)
  const only = variants.length === 1 ? variants[0] : undefined
  return (known ?? only)?.label ?? defaultLabel
}

/** Blank where the product has several variants, none of which is called `Default` or has the row's SKU: a new one would be nobody's wish. */
const isUntold = ({ variantLabel, sku }: ProductRow, variants: readonly Variant[]): boolean =>
  variantLabel === null &&
  variants.length > 1 &&
  !variants.some((variant) => variant.label === defaultLabel || (sku !== null && variant.sku === sku))

const untold = 'This product has several variants. Write the label of an existing variant, or of a new one.'

function matchLabel(
  rows: readonly ProductRow[],
  label: string,
  variants: readonly Variant[],
  faults: Pick<Faults, 'add'>,
): Match[] {
  const bySku = new Map<ProductRow, Variant>()
  for (const row of rows) {
    const variant = variants.find(({ sku }) => sku !== null && sku === row.sku)
    if (variant !== undefined && ![...bySku.values()].includes(variant)) bySku.set(row, variant)
  }
  const named = new Set(bySku.values())
  const left = variants.filter((variant) => !named.has(variant))
  const others = rows.filter((row) => !bySku.has(row))
  const isTold = others.length >= left.length
  const surplus = variants.length === 0 ? [] : others.slice(left.length).filter(({ sku }) => sku === null)
  for (const { row } of surplus) faults.add({ row, column: 'variant_label', message: standsTwice })
  if (!isTold) for (const { row } of others) faults.add({ row, column: 'variant_label', message: ambiguous })
  return [
    ...[...bySku].map(([row, variant]) => ({ row, label, variant })),
    ...(isTold ? others.map((row, place) => ({ row, label, variant: left[place] ?? null })) : []),
  ]
}

const ambiguous =
  'Several variants of this product have this label. Write the sku of the variant, or one row for each of these variants.'

const standsTwice =
  'There are more rows with this label than the product has variants with it. Remove the duplicate row, or write the sku of a new variant.'

import { groupBy } from '../../../polyfills/group-by.ts'
import { defaultLabel, type Variant } from '../../products/product.ts'
import type { Faults } from './faults.ts'
import type { ProductRow } from './row.ts'

/** A row and its variant. `variant` is null if the row creates a new variant with this label. */
export interface Match {
  row: ProductRow
  label: string
  variant: Variant | null
}

/**
 * Matches the rows of one product with its variants. Rows with a label match the variants with that label: first by
 * SKU, then in order. Rows that match no variant create variants. It is a fault if a label has fewer unmatched rows
 * than unmatched variants, because the match is ambiguous. It is also a fault if an unmatched row has no SKU although
 * variants with its label exist, because the row is most likely a duplicate. A row with no variant cells describes only
 * the product.
 */
export function matchRows(
  rows: readonly ProductRow[],
  variants: readonly Variant[],
  faults: Pick<Faults, 'add'>,
): Match[] {
  const ofVariants = rows.filter(describesVariant)
  for (const { row } of ofVariants.filter((each) => isUnlabelled(each, variants)))
    faults.add({ row, column: 'variant_label', message: unlabelled })
  const byLabel = groupBy(ofVariants, (row) => labelOf(row, variants))
  const matches = [...byLabel].flatMap(([label, labelled]) =>
    matchLabel(
      labelled,
      label,
      variants.filter((variant) => variant.label === label),
      faults,
    ),
  )
  // New variants keep the order of the file.
  return matches.toSorted((a, b) => a.row.row - b.row.row)
}

const describesVariant = ({ variantLabel, sku, price, stock }: ProductRow): boolean =>
  [variantLabel, sku, price, stock].some((cell) => cell !== null)

/**
 * Replaces a blank label with that of the variant with the row's SKU, else with that of the only variant, else with
 * `Default`.
 */
function labelOf({ variantLabel, sku }: ProductRow, variants: readonly Variant[]): string {
  if (variantLabel !== null) return variantLabel
  const known = variants.find((variant) => sku !== null && variant.sku === sku)
  const only = variants.length === 1 ? variants[0] : undefined
  return (known ?? only)?.label ?? defaultLabel
}

/**
 * Whether the label is missing and the row could belong to any of several variants. The row most likely does not mean a
 * new `Default` variant.
 */
const isUnlabelled = ({ variantLabel, sku }: ProductRow, variants: readonly Variant[]): boolean =>
  variantLabel === null &&
  variants.length > 1 &&
  !variants.some((variant) => variant.label === defaultLabel || (sku !== null && variant.sku === sku))

const unlabelled =
  'This product has several variants. Write the label of an existing variant, or of a new one.'

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
  const isClear = others.length >= left.length
  const surplus = variants.length === 0 ? [] : others.slice(left.length).filter(({ sku }) => sku === null)
  for (const { row } of surplus) faults.add({ row, column: 'variant_label', message: duplicateRow })
  if (!isClear) for (const { row } of others) faults.add({ row, column: 'variant_label', message: ambiguous })
  return [
    ...[...bySku].map(([row, variant]) => ({ row, label, variant })),
    ...(isClear ? others.map((row, index) => ({ row, label, variant: left[index] ?? null })) : []),
  ]
}

const ambiguous =
  'Several variants of this product have this label. Write the sku of the variant, or one row for each of these variants.'

const duplicateRow =
  'There are more rows with this label than the product has variants with it. Remove the duplicate row, or write the sku of a new variant.'

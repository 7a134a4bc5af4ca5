import { defaultLabel, type Variant } from '../../products/product.ts'
import type { Faults } from './faults.ts'
import type { ProductRow } from './row.ts'

/** A row and the variant that it describes. `variant` is null if the row creates a new variant with this label. */
export interface Match {
  row: ProductRow
  label: string
  variant: Variant | null
}

/**
 * Matches the rows of one product with its variants. A row is matched only with variants that have the same label:
 * first by SKU, then in order. A row that matches no variant creates a new variant. If all variant cells of a row are
 * blank, the row describes only the product. Two cases are faults:
 * - After the rows have been matched by SKU, a label has fewer remaining rows than remaining variants, so it is unclear
 *   which variants the rows describe.
 * - A row matches no variant and has no SKU, although the product has variants with the row's label. Such a row is most
 *   likely a duplicate.
 */
export function matchRows(rows: readonly ProductRow[], variants: readonly Variant[], faults: Faults): Match[] {
  const ofVariants = rows.filter(describesVariant)
  for (const { row } of ofVariants.filter((each) => isUnlabelled(each, variants)))
    faults.add({ row, column: 'variant_label', message: unlabelled })
  const byLabel = Map.groupBy(ofVariants, (row) => labelOf(row, variants))
  const matches = [...byLabel].flatMap(([label, labelled]) =>
    matchLabel(
      labelled,
      label,
      variants.filter((variant) => variant.label === label),
      faults,
    ),
  )
  // The matches are sorted, so that new variants are created in the order in which the file lists them.
  return matches.toSorted((a, b) => a.row.row - b.row.row)
}

const describesVariant = ({ variantLabel, sku, price, stock }: ProductRow): boolean =>
  [variantLabel, sku, price, stock].some((cell) => cell !== null)

/**
 * Returns the row's label. If the label is blank, returns the label of the variant that has the row's SKU. If there is
 * no such variant, returns the label of the product's only variant, or `Default` if the product has several variants or
 * none.
 */
function labelOf({ variantLabel, sku }: ProductRow, variants: readonly Variant[]): string {
  if (variantLabel !== null) return variantLabel
  const known = variants.find((variant) => sku !== null && variant.sku === sku)
  const only = variants.length === 1 ? variants[0] : undefined
  return (known ?? only)?.label ?? defaultLabel
}

/**
 * Returns whether the label is missing and it is unclear which of several variants the row describes. The author of
 * such a row most likely did not want to create a new variant with the label `Default`.
 */
const isUnlabelled = ({ variantLabel, sku }: ProductRow, variants: readonly Variant[]): boolean =>
  variantLabel === null &&
  variants.length > 1 &&
  !variants.some((variant) => variant.label === defaultLabel || (sku !== null && variant.sku === sku))

const unlabelled = 'This product has several variants. Write the label of an existing variant, or of a new one.'

function matchLabel(rows: ProductRow[], label: string, variants: Variant[], faults: Faults): Match[] {
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

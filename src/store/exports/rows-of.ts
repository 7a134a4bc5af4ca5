import type { Column } from '../imports/file/row.ts'
import type { Product } from '../products/product.ts'

export type ExportedProduct = Pick<
  Product,
  '_id' | 'createdAt' | 'handle' | 'name' | 'description' | 'active' | 'variants'
>

/**
 * The values of one row of an exported file, by column. Null becomes a blank cell. Numbers are written without quotes.
 */
export type ExportedRow = Record<Column, string | number | null>

/** Returns one row for each variant of the product. Only the first row contains the product's own fields. */
export const rowsOf = ({
  handle = '',
  name,
  description,
  active,
  variants,
}: Pick<ExportedProduct, 'handle' | 'name' | 'description' | 'active' | 'variants'>): ExportedRow[] =>
  variants.map(({ label, sku, price, stock }, index) => ({
    handle,
    ...(index === 0
      ? { name, description: description || null, active: String(active) }
      : { name: null, description: null, active: null }),
    variant_label: label,
    sku,
    price,
    stock,
  }))

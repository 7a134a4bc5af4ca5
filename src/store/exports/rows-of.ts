import type { Column } from '../imports/file/row.ts'
import type { Product } from '../products/product.ts'

/** What an export needs of a product. */
export type ExportedProduct = Pick<
  Product,
  '_id' | 'createdAt' | 'handle' | 'name' | 'description' | 'active' | 'variants'
>

/** One row of a file; null is blank. Numbers are numbers, so that text alone is quoted. */
export type ExportedRow = Record<Column, string | number | null>

/** One row for each variant; what is the product's stands in its first, and is blank below. */
export const rowsOf = ({
  handle = '',
  name,
  description,
  active,
  variants,
}: Pick<ExportedProduct, 'handle' | 'name' | 'description' | 'active' | 'variants'>): ExportedRow[] =>
  variants.map(({ label, sku, price, stock }, place) => ({
    handle,
    ...(place === 0
      ? { name, description: description || null, active: String(active) }
      : { name: null, description: null, active: null }),
    variant_label: label,
    sku,
    price,
    stock,
  }))

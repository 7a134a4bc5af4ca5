/**
 * One row of an import, with its cells parsed. Null stands for a blank cell. A blank cell does not change the field.
 */
export interface ProductRow {
  /** The row number, as in a spreadsheet. The header is row 1. */
  row: number
  /** The product's handle. Rows with the same handle describe the same product. */
  handle: string
  name: string | null
  description: string | null
  variantLabel: string | null
  sku: string | null
  /** The price in centimes. */
  price: number | null
  stock: number | null
  active: boolean | null
}

/** The columns of a file, in the order in which they are exported. */
export const columns = ['handle', 'name', 'description', 'variant_label', 'sku', 'price', 'stock', 'active'] as const

export type Column = (typeof columns)[number]

/** The maximum number of rows in an import, not counting the header. */
export const maxRows = 5_000

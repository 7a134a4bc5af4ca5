/** One row of an import, with its cells parsed. Null stands for a blank cell, which changes nothing. */
export interface ProductRow {
  /** The row number as in a spreadsheet: the header is row 1. */
  row: number
  /** Without surrounding whitespace. Rows with the same handle describe the same product. */
  handle: string
  name: string | null
  description: string | null
  variantLabel: string | null
  sku: string | null
  /** Centimes. */
  price: number | null
  stock: number | null
  active: boolean | null
}

/** The columns of a file, in the order of an export. */
export const columns = [
  'handle',
  'name',
  'description',
  'variant_label',
  'sku',
  'price',
  'stock',
  'active',
] as const

export type Column = (typeof columns)[number]

/** The most rows in one import, not counting the header. */
export const maxRows = 5_000

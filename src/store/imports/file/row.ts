/** One row of an import, its cells read; null is blank, which keeps what is there. */
export interface ProductRow {
  /** As a spreadsheet counts: the header is row 1. */
  row: number
  /** Without surrounding whitespace. Rows with the same one are one product. */
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

/** How many rows one import may have, beside the header. */
export const maxRows = 5_000

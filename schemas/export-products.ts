/** What may stand between the cells of a file; a spreadsheet in French expects the second. */
export const delimiters = [',', ';'] as const
export type Delimiter = (typeof delimiters)[number]

/** Query of an export of products (docs/store.md). */
export const exportProductsQuery = {
  type: 'object',
  properties: {
    delimiter: {
      description: 'A comma where nothing is said; a spreadsheet in French expects a semicolon.',
      enum: delimiters,
    },
  },
  additionalProperties: false,
} as const

export interface ExportProductsQuery {
  delimiter?: Delimiter
}

/** The delimiters of a CSV file. A spreadsheet in French expects the semicolon. */
export const delimiters = [',', ';'] as const
export type Delimiter = (typeof delimiters)[number]

/** Query of an export of products (docs/store.md). */
export const exportProductsQuery = {
  type: 'object',
  properties: {
    delimiter: {
      description: 'Defaults to a comma. A spreadsheet in French expects a semicolon.',
      enum: delimiters,
    },
  },
  additionalProperties: false,
} as const

export interface ExportProductsQuery {
  delimiter?: Delimiter
}

/** The delimiters that a CSV file may use. French spreadsheet programs expect a semicolon. */
export const delimiters = [',', ';'] as const
export type Delimiter = (typeof delimiters)[number]

/** The query parameters of a product export. */
export const exportProductsQuery = {
  type: 'object',
  properties: {
    delimiter: {
      description:
        'The delimiter of the cells. Defaults to a comma. A spreadsheet program in French expects a semicolon.',
      enum: delimiters,
    },
  },
  additionalProperties: false,
} as const

export interface ExportProductsQuery {
  delimiter?: Delimiter
}

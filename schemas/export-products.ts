/** The possible delimiters of a CSV file. A French spreadsheet program expects a semicolon. */
export const delimiters = [',', ';'] as const
export type Delimiter = (typeof delimiters)[number]

/** Query of an export of products. */
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

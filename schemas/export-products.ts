import { type DelimiterName, delimiterQuery } from './delimiter.ts'

/** The query parameters of a product export. */
export const exportProductsQuery = {
  type: 'object',
  properties: { delimiter: delimiterQuery },
  additionalProperties: false,
} as const

export interface ExportProductsQuery {
  delimiter?: DelimiterName
}

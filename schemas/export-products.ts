import { delimiterQuery } from './delimiter.ts'
import type { ValueOf } from './value-of.ts'

/** The query parameters of a product export. */
export const exportProductsQuery = {
  type: 'object',
  properties: { delimiter: delimiterQuery },
  additionalProperties: false,
} as const

export type ExportProductsQuery = ValueOf<typeof exportProductsQuery>

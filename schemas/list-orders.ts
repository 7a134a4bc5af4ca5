import { pageQuery } from './page.ts'
import { spanQuery } from './span.ts'
import type { ValueOf } from './value-of.ts'

/**
 * The query parameters of GET /dev/store/orders. All values are strings, because they come from the URL. If a parameter
 * is repeated, its value becomes an array and is therefore invalid.
 */
export const listOrdersQuery = {
  type: 'object',
  properties: {
    ...spanQuery.properties,
    ...pageQuery.properties,
  },
  additionalProperties: false,
} as const

export type ListOrdersQuery = ValueOf<typeof listOrdersQuery>

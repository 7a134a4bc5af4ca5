import { pageQuery } from './page.ts'
import { spanQuery } from './span.ts'

/**
 * Query of GET /dev/store/orders. Values are strings from the URL. A repeated parameter becomes an array, which is
 * invalid.
 */
export const listOrdersQuery = {
  type: 'object',
  properties: {
    ...spanQuery.properties,
    ...pageQuery.properties,
  },
  additionalProperties: false,
} as const

export interface ListOrdersQuery {
  from?: string
  to?: string
  page?: string
  limit?: string
}

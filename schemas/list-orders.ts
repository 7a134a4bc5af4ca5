import { pageQuery } from './page.ts'
import { spanQuery } from './span.ts'

/**
 * The query parameters of GET /dev/store/orders. All values are strings, because they come from the URL. A repeated
 * parameter is invalid, because it becomes an array.
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

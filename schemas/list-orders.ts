import { pageQuery } from './page.ts'
import { spanQuery } from './span.ts'

/** Query of GET /dev/store/orders. Values are the text of the URL; a repeated parameter is an array and fails. */
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

import { pageQuery, queryOf } from './page.ts'
import { spanQuery } from './span.ts'
import type { ValueOf } from './value-of.ts'

/**
 * The query parameters of GET /dev/store/orders. All values are strings, because they come from the URL. If a parameter
 * is repeated, its value becomes an array and is therefore invalid.
 */
export const listOrdersQuery = queryOf({
  ...spanQuery.properties,
  ...pageQuery.properties,
})

export type ListOrdersQuery = ValueOf<typeof listOrdersQuery>

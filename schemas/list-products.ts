import { pageQuery, queryOf } from './page.ts'
import { maxNameLength, maxSkuLength } from './product-limits.ts'
import type { ValueOf } from './value-of.ts'

/** The query parameters of GET /dev/store/products. */
export const listProductsQuery = queryOf({
  active: {
    description: '`true`: only products that are for sale. `false`: only products that are not.',
    enum: ['true', 'false'],
  },
  q: {
    description: 'Only products whose name contains this text. Upper and lower case are the same.',
    type: 'string',
    maxLength: maxNameLength,
    normalise: 'name',
  },
  sku: {
    description: 'Only the product with this SKU.',
    type: 'string',
    maxLength: maxSkuLength,
    normalise: 'reference',
  },
  ...pageQuery.properties,
})

export type ListProductsQuery = ValueOf<typeof listProductsQuery>

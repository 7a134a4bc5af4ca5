import { pageQuery } from './page.ts'
import { maxNameLength, maxSkuLength } from './product-limits.ts'
import type { ValueOf } from './value-of.ts'

/**
 * The query parameters of GET /dev/store/products. All values are strings, because they come from the URL. If a
 * parameter is repeated, its value becomes an array and is therefore invalid.
 */
export const listProductsQuery = {
  type: 'object',
  properties: {
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
  },
  additionalProperties: false,
} as const

export type ListProductsQuery = ValueOf<typeof listProductsQuery>

import { highestStock } from './product-limits.ts'

/** Body of PATCH /dev/store/products/{id}/variants/{vid}/stock (SPEC 4.9): exactly one of the two. */
export const changeStockBody = {
  type: 'object',
  properties: {
    stock: { description: 'Units that it shall be.', type: 'integer', minimum: 0, maximum: highestStock },
    delta: {
      description: 'Units by which it shall move.',
      type: 'integer',
      minimum: -highestStock,
      maximum: highestStock,
    },
  },
} as const

export interface ChangeStockBody {
  stock?: number
  delta?: number
}

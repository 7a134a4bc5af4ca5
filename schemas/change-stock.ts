import { highestStock } from './product-limits.ts'

/** Body of PATCH /dev/store/products/{id}/variants/{vid}/stock (SPEC 4.9): exactly one of the two. */
export const changeStockBody = {
  type: 'object',
  properties: {
    stock: { description: 'New stock level.', type: 'integer', minimum: 0, maximum: highestStock },
    delta: {
      description: 'Units to add to the stock; negative to subtract.',
      type: 'integer',
      minimum: -highestStock,
      maximum: highestStock,
    },
  },
  dependencies: {
    stock: {
      properties: { delta: { not: {}, says: 'cannot be combined with stock: send exactly one of the two' } },
    },
  },
  if: { required: ['delta'] },
  else: { required: ['stock'], says: 'or delta is required: send exactly one of the two' },
} as const

export type ChangeStockBody = { stock: number } | { delta: number }

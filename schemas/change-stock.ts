import { maxStock } from './product-limits.ts'

/**
 * The body of a PATCH /dev/store/products/{id}/variants/{vid}/stock request (SPEC 4.9). The body must contain either
 * `stock` or `delta`, but not both.
 */
export const changeStockBody = {
  type: 'object',
  absenceWidens: ['stock', 'delta'],
  properties: {
    stock: {
      description: 'The new stock level, in units.',
      type: 'integer',
      minimum: 0,
      maximum: maxStock,
    },
    delta: {
      description: 'The number of units to add to the stock. A negative number subtracts units.',
      type: 'integer',
      minimum: -maxStock,
      maximum: maxStock,
    },
  },
  dependencies: {
    stock: {
      properties: {
        delta: { not: {}, message: 'cannot be combined with stock: send either stock or delta' },
      },
    },
  },
  if: { required: ['delta'] },
  else: { required: ['stock'], message: 'or delta is required' },
} as const

/** The new stock of a variant, or the amount by which to change it, in units. */
export type ChangeStockBody = { stock: number } | { delta: number }

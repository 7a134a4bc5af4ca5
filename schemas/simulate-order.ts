import { longestLabel } from './product-limits.ts'
import { longestPhone } from './simulate-payment.ts'

/** Units of one line: more than any customer orders, and its product with any price is still an exact integer. */
export const mostUnits = 1_000_000
/** The most lines of one order. */
export const mostItems = 100

/** Body of POST /dev/store/orders/simulate (SPEC 4.7). All fields are optional. */
export const simulateOrderBody = {
  type: 'object',
  properties: {
    items: {
      type: 'array',
      minItems: 1,
      maxItems: mostItems,
      items: {
        type: 'object',
        required: ['productId', 'quantity'],
        properties: {
          productId: { type: 'string', minLength: 1, maxLength: 64, format: 'storable-text' },
          variantId: {
            description: 'Give this or `variantLabel`, or neither if the product has one variant.',
            type: 'string',
            minLength: 1,
            maxLength: 64,
            format: 'storable-text',
          },
          variantLabel: { type: 'string', minLength: 1, maxLength: longestLabel, format: 'storable-text' },
          quantity: { type: 'integer', minimum: 1, maximum: mostUnits },
        },
        dependencies: {
          variantId: {
            properties: { variantLabel: { not: {}, says: 'cannot be combined with variantId' } },
          },
        },
      },
    },
    customer: {
      type: 'object',
      properties: {
        name: { type: 'string', maxLength: 200, format: 'written-text' },
        phone: { type: 'string', maxLength: longestPhone, format: 'phone' },
        email: {
          type: 'string',
          maxLength: 254,
          format: 'storable-text',
          pattern: String.raw`^[^\s@\u0000]+@[^\s@\u0000]+$`,
          says: 'must be an e-mail address of at most 254 characters',
        },
      },
    },
  },
} as const

/** One line of the order. The variant may be omitted if the product has only one. */
export interface SimulatedItem {
  productId: string
  variantId?: string
  variantLabel?: string
  quantity: number
}

export interface SimulateOrderBody {
  items?: SimulatedItem[]
  customer?: { name?: string; phone?: string; email?: string }
}

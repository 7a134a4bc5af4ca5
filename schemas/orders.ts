import { maxPhoneLength } from './intents.ts'
import { maxVariantLabelLength } from './products.ts'
import {
  described,
  listQuery,
  normalisedText,
  type SchemaValue,
  spanQuery,
  storableText,
} from './requests.ts'

/** With the default MAX_AMOUNT, an item costs at most 10^15, a safe integer. */
export const maxUnitsPerItem = 1_000_000
export const maxOrderItems = 100

export const simulateOrderBody = {
  type: 'object',
  properties: {
    items: {
      type: 'array',
      minItems: 1,
      maxItems: maxOrderItems,
      items: {
        type: 'object',
        required: ['productId', 'quantity'],
        properties: {
          productId: { type: 'string', minLength: 1, maxLength: 64, format: 'storable-text' },
          variantId: described(
            'Send either this or `variantLabel`. Omit both if the product has only one variant.',
            { type: 'string', minLength: 1, maxLength: 64, format: 'storable-text' },
          ),
          variantLabel: normalisedText('name', maxVariantLabelLength),
          quantity: { type: 'integer', minimum: 1, maximum: maxUnitsPerItem },
        },
        dependencies: {
          variantId: {
            properties: { variantLabel: { not: {}, message: 'cannot be combined with variantId' } },
          },
        },
      },
    },
    customer: {
      type: 'object',
      properties: {
        name: { type: 'string', maxLength: 200, format: 'written-text' },
        phone: { type: 'string', maxLength: maxPhoneLength, format: 'phone' },
        email: {
          ...storableText(254),
          pattern: String.raw`^[^\s@\u0000]+@[^\s@\u0000]+$`,
          message: 'must be an e-mail address of at most 254 characters',
        },
      },
    },
  },
} as const

export type SimulatedItem = NonNullable<SimulateOrderBody['items']>[number]

export type SimulateOrderBody = SchemaValue<typeof simulateOrderBody>

export const listOrdersQuery = listQuery(spanQuery.properties)

export type ListOrdersQuery = SchemaValue<typeof listOrdersQuery>

/** Every refund stays in the intent and in every response for good, so a payment cannot be refunded centime by centime. */
export const mostRefunds = 1_000

/** Body of POST /dev/intents/{referenceNumber}/refund (SPEC 4.5). All fields are optional. */
export const refundBody = {
  type: 'object',
  properties: {
    amount: {
      description: 'Centimes. Defaults to all that is left.',
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      errorCodes: { minimum: 'AMOUNT_OUT_OF_RANGE', maximum: 'AMOUNT_OUT_OF_RANGE' },
    },
    reason: { description: 'Your own note.', type: 'string', maxLength: 200, format: 'storable-text' },
    expectedRefundable: {
      description: 'Refund only if exactly this many centimes are left.',
      type: 'integer',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
    },
  },
} as const

export interface RefundBody {
  amount?: number
  reason?: string
  expectedRefundable?: number
}

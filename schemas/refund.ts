/** Each stands in the intent for ever and in every response: a payment cannot be refunded centime by centime. */
export const mostRefunds = 1_000

/** Body of POST /dev/intents/{referenceNumber}/refund (SPEC 4.5). Everything may be left out. */
export const refundBody = {
  type: 'object',
  properties: {
    amount: {
      description: 'Centimes; all that is left where nothing is said.',
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      errorCodes: { minimum: 'AMOUNT_OUT_OF_RANGE', maximum: 'AMOUNT_OUT_OF_RANGE' },
    },
    reason: { description: 'For you.', type: 'string', maxLength: 200, format: 'storable-text' },
    expectedRefundable: {
      description: 'Refund only if exactly so many centimes are left.',
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

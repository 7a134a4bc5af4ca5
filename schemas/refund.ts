/**
 * The maximum number of refunds per intent. The number is limited because the intent's document stores all of its
 * refunds, and every response that contains the intent also contains its refunds.
 */
export const maxRefunds = 1_000

/** The body of a POST /dev/intents/{referenceNumber}/refund request (SPEC 4.5). All fields are optional. */
export const refundBody = {
  type: 'object',
  absenceWidens: ['amount', 'expectedRefundable'],
  properties: {
    amount: {
      description: 'Centimes. Defaults to the whole amount that is not refunded yet.',
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      errorCodes: { minimum: 'AMOUNT_OUT_OF_RANGE', maximum: 'AMOUNT_OUT_OF_RANGE' },
    },
    reason: {
      description: 'Your own note about the refund.',
      type: 'string',
      maxLength: 200,
      format: 'storable-text',
    },
    expectedRefundable: {
      description:
        'Centimes. If this is not exactly the amount that can still be refunded, the response is REFUND_AMOUNT_MISMATCH.',
      type: 'integer',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
    },
  },
} as const

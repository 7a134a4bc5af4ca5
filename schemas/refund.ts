/** Body of POST /dev/intents/{referenceNumber}/refund (SPEC 4.5). Everything may be left out. */
export const refundBody = {
  type: 'object',
  properties: {
    amount: { type: 'integer', minimum: 1, errorCodes: { minimum: 'AMOUNT_OUT_OF_RANGE' } },
    reason: { type: 'string', maxLength: 200, format: 'storable-text' },
    expectedRefundable: { type: 'integer', minimum: 0 },
  },
} as const

export interface RefundBody {
  amount?: number
  reason?: string
  expectedRefundable?: number
}

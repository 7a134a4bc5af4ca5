import { createTestIntentBody } from './create-intent.ts'

/** Body of POST /dev/intents/{referenceNumber}/simulate-payment (SPEC 4.6). Everything may be left out. */
export const simulatePaymentBody = {
  type: 'object',
  properties: {
    amount: createTestIntentBody.properties.amount,
    payerPhone: { type: 'string', format: 'phone' },
    outcome: { enum: ['success', 'insufficient_funds', 'technical_error'] },
  },
} as const

export interface SimulatePaymentBody {
  amount?: number
  payerPhone?: string
  outcome?: 'success' | 'insufficient_funds' | 'technical_error'
}

import { createTestIntentBody } from './create-intent.ts'

/** 15 digits, each with something before it. */
export const longestPhone = 40

/** Body of POST /dev/intents/{referenceNumber}/simulate-payment (SPEC 4.6). Everything may be left out. */
export const simulatePaymentBody = {
  type: 'object',
  properties: {
    amount: {
      ...createTestIntentBody.properties.amount,
      description: 'Centimes. OPEN: what the customer chooses. FIXED: its own.',
    },
    payerPhone: {
      description: 'Who pays: a phone number.',
      type: 'string',
      maxLength: longestPhone,
      format: 'phone',
    },
    outcome: {
      description: 'How it goes; success where nothing is said.',
      enum: ['success', 'insufficient_funds', 'technical_error'],
    },
  },
} as const

export interface SimulatePaymentBody {
  amount?: number
  payerPhone?: string
  outcome?: 'success' | 'insufficient_funds' | 'technical_error'
}

import { createTestIntentBody } from './create-intent.ts'
import type { ValueOf } from './value-of.ts'

/** The maximum length of a phone number as a string. It is enough for 15 digits and separators between them. */
export const maxPhoneLength = 40

/** The body of a POST /dev/intents/{referenceNumber}/simulate-payment request (SPEC 4.6). All fields are optional. */
export const simulatePaymentBody = {
  type: 'object',
  absenceWidens: ['amount'],
  properties: {
    amount: {
      ...createTestIntentBody.properties.amount,
      description:
        'Centimes. For an OPEN intent, the amount that the customer chooses. For a FIXED intent, its own amount.',
    },
    payerPhone: {
      description: 'The phone number of the customer.',
      type: 'string',
      maxLength: maxPhoneLength,
      format: 'phone',
    },
    outcome: {
      description: 'The result of the simulated payment. Defaults to success.',
      enum: ['success', 'insufficient_funds', 'technical_error'],
    },
  },
} as const

export type SimulatePaymentBody = ValueOf<typeof simulatePaymentBody>

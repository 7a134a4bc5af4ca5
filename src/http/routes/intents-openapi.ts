import { createTestIntentBody, listIntentsQuery, refundBody, simulatePaymentBody } from '../../../schemas/intents.ts'
import { described, reference } from '../../../schemas/responses/fields.ts'
import { createdIntent, intent, intentPage, refundedIntent } from '../../../schemas/responses/intent.ts'
import * as example from './intents-example.ts'
import { inSection, pageWith } from './openapi-text.ts'

const params = { referenceNumber: described('The `referenceNumber` of the payment intent.', reference) }
const missing = ['INTENT_NOT_FOUND', 'SANDBOX_MISMATCH'] as const
const { referenceNumber } = example

export const aboutIntents = inSection('Payment intents', {
  create: {
    operationId: 'createIntent',
    summary: 'Create a payment intent',
    description:
      'A payment intent is one payment that you want to collect. The customer pays on the page at `payUrl`, or types `code` at `codeUrl`, such as at a counter. An intent that is not paid before `expiresAt` becomes CANCELLED.\n\nWith a live key, redirect URLs must be https. The service returns RATE_LIMITED with the scope `codes` while your business uses all of its payment codes, and with the scope `storage` or `sandbox` once your keys reach a daily quota. `Retry-After` says when to try again.\n\nWith a `merchantReference`, your customer cannot be charged twice for one order. While an intent with this reference is PENDING, PAID or REFUNDED, the service returns MERCHANT_REFERENCE_TAKEN, with the `referenceNumber` of that intent in `details`.',
    body: createTestIntentBody,
    response: createdIntent,
    errors: ['MERCHANT_REFERENCE_TAKEN'],
    example: { body: example.request, response: example.created },
  },
  list: {
    operationId: 'listIntents',
    summary: 'List payment intents',
    description:
      "Returns the payment intents of the key's environment, newest first, whatever the filter. A list can be limited by the time of payment, the time of refund or the amount, but only by one of these three. Each of them can be combined with `status`, `from` and `to`, but not with `merchantReference`.",
    query: listIntentsQuery,
    response: intentPage,
    example: { query: { status: 'PENDING', limit: '50' }, response: pageWith(example.pending, 50) },
  },
  get: {
    operationId: 'getIntent',
    summary: 'Retrieve a payment intent',
    description: 'A publishable key may call this operation. It receives null as the `reason` of every refund.',
    params,
    response: intent,
    errors: missing,
    example: { params: { referenceNumber }, response: example.pending },
  },
  cancel: {
    operationId: 'cancelIntent',
    summary: 'Cancel a payment intent',
    description:
      'Only a PENDING intent can be cancelled; it can then no longer be paid. The service returns INTENT_CANCEL_CONFLICT if a customer is paying the intent, or if it changes at the same moment. Retrieve the intent to see what happened.',
    params,
    response: intent,
    errors: [...missing, 'INTENT_CANCEL_INVALID_STATUS', 'INTENT_CANCEL_CONFLICT'],
    example: { params: { referenceNumber }, response: example.cancelled },
  },
  simulate: {
    operationId: 'simulatePayment',
    summary: 'Simulate a payment',
    description:
      'Pays a test intent as a customer would. No money moves. With `outcome`, the payment fails for the reason that you choose, and the service returns PAYMENT_FAILED. For a FIXED intent, omit `amount` or send the amount of the intent.',
    params,
    body: simulatePaymentBody,
    response: intent,
    errors: [...missing, 'INTENT_NOT_PENDING', 'PAYMENT_FAILED'],
    example: { params: { referenceNumber }, body: example.simulation, response: example.paid },
  },
  refund: {
    operationId: 'refundIntent',
    summary: 'Refund a payment intent',
    description:
      'Returns `amount` to the customer, or everything that is not refunded yet. An intent can be refunded in several parts. The response may take 20 s. After SERVICE_UNAVAILABLE, repeat the request with the same idempotency key.',
    params,
    body: refundBody,
    response: refundedIntent,
    errors: [
      ...missing,
      'INTENT_REFUND_INVALID_STATUS',
      'AMOUNT_OUT_OF_RANGE',
      'REFUND_AMOUNT_MISMATCH',
      'REFUND_FAILED',
    ],
    example: { params: { referenceNumber }, body: example.refundRequest, response: example.refunded },
  },
})

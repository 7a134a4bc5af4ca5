import { createTestIntentBody } from '../../../schemas/create-intent.ts'
import { listIntentsQuery } from '../../../schemas/list-intents.ts'
import { refundBody } from '../../../schemas/refund.ts'
import { reference, saying } from '../../../schemas/responses/fields.ts'
import { createdIntent, intent, intentPage, refundedIntent } from '../../../schemas/responses/intent.ts'
import { simulatePaymentBody } from '../../../schemas/simulate-payment.ts'
import * as example from './intents-example.ts'
import type { About } from './openapi-text.ts'
import { pageWith } from './page-example.ts'

const params = { referenceNumber: saying('`referenceNumber` of the intent.', reference) }
const missing = ['INTENT_NOT_FOUND', 'SANDBOX_MISMATCH'] as const
const { referenceNumber } = example

export const aboutIntents = {
  create: {
    operationId: 'createIntent',
    tag: 'Payment intents',
    summary: 'Create an intent',
    description:
      'An intent is one payment to collect. The customer pays at `payUrl`, or at a counter with `code`. With a live key, redirect URLs must be https. The response is RATE_LIMITED with the scope `codes` while all live payment codes of your business are in use, and with the scope `sandbox` once your test keys have used up the quota of the day. `Retry-After` says when to try again.',
    params: {},
    query: null,
    body: createTestIntentBody,
    answer: createdIntent,
    errors: [],
    example: { body: example.asked, answer: example.created },
  },
  list: {
    operationId: 'listIntents',
    tag: 'Payment intents',
    summary: 'List intents',
    description: "Newest first, of the key's environment.",
    params: {},
    query: listIntentsQuery,
    body: null,
    answer: intentPage,
    errors: [],
    example: { query: { status: 'PENDING', limit: '50' }, answer: pageWith(example.pending, 50) },
  },
  get: {
    operationId: 'getIntent',
    tag: 'Payment intents',
    summary: 'Read an intent',
    description: 'Publishable keys are allowed; they see null as the reason of every refund.',
    params,
    query: null,
    body: null,
    answer: intent,
    errors: missing,
    example: { params: { referenceNumber }, answer: example.pending },
  },
  cancel: {
    operationId: 'cancelIntent',
    tag: 'Payment intents',
    summary: 'Cancel a PENDING intent',
    description: 'INTENT_CANCEL_CONFLICT: the intent changed at the same time, or a payment is pending.',
    params,
    query: null,
    body: null,
    answer: intent,
    errors: [...missing, 'INTENT_CANCEL_INVALID_STATUS', 'INTENT_CANCEL_CONFLICT'],
    example: { params: { referenceNumber }, answer: example.cancelled },
  },
  simulate: {
    operationId: 'simulatePayment',
    tag: 'Payment intents',
    summary: 'Pay a test intent',
    description:
      'Pays as a customer would; no money moves. For a FIXED intent, omit `amount` or repeat its own.',
    params,
    query: null,
    body: simulatePaymentBody,
    answer: intent,
    errors: [...missing, 'INTENT_NOT_PENDING', 'PAYMENT_FAILED'],
    example: { params: { referenceNumber }, body: example.simulation, answer: example.paid },
  },
  refund: {
    operationId: 'refundIntent',
    tag: 'Payment intents',
    summary: 'Refund a payment',
    description:
      'Refunds `amount`, or all that is left. May take 20 s. After SERVICE_UNAVAILABLE, repeat the request with the same idempotency key.',
    params,
    query: null,
    body: refundBody,
    answer: refundedIntent,
    errors: [
      ...missing,
      'INTENT_REFUND_INVALID_STATUS',
      'AMOUNT_OUT_OF_RANGE',
      'REFUND_AMOUNT_MISMATCH',
      'REFUND_FAILED',
    ],
    example: { params: { referenceNumber }, body: example.refundAsked, answer: example.refunded },
  },
} as const satisfies Record<string, About>

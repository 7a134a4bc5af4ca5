import * as schema from '../../../schemas/intents.ts'
import { described } from '../../../schemas/requests.ts'
import { intentReferenceSchema } from '../../../schemas/responses/fields.ts'
import { cancelIntent } from '../../intents/cancel.ts'
import { createIntent, parseNewIntent } from '../../intents/create.ts'
import { findEffectByKey } from '../../intents/effect.ts'
import { findIntent } from '../../intents/find.ts'
import { listIntents, parseIntentList } from '../../intents/list.ts'
import { parseSimulation, simulatePayment } from '../../intents/payments/simulate.ts'
import { findCreateResult, presentForCaller, presentIntent } from '../../intents/present.ts'
import { parseRefund, refundIntent } from '../../intents/refunds/refund.ts'
import { presentPage } from '../../lists/pagination.ts'
import { declareOperations, type WriteRoute } from '../operations/route.ts'

const { get, list, post } = declareOperations('Payment intents', {
  read: 'payments.intents:read',
  write: 'payments.intents:write',
  params: {
    referenceNumber: described('The `referenceNumber` of the payment intent.', intentReferenceSchema),
  },
})

const missing = ['INTENT_NOT_FOUND', 'SANDBOX_MISMATCH'] as const

const ofIntent: Pick<WriteRoute<'referenceNumber'>, 'findEffect' | 'looksItself'> = {
  findEffect: (deps, caller, { referenceNumber }, request) =>
    findEffectByKey(deps, caller, referenceNumber, request),
  looksItself: true,
}

export const intentRoutes = [
  post('/dev/intents', {
    operationId: 'createIntent',
    summary: 'Create a payment intent',
    description:
      'Creates a payment to collect: the customer pays on the page at `payUrl`, or types `code` at `codeUrl`, for example at a counter. An intent not paid before `expiresAt` becomes CANCELLED.',
    body: schema.createTestIntentBody,
    response: schema.createdIntentSchema,
    errors: ['MERCHANT_REFERENCE_TAKEN'],
    status: 201,
    storesNoRow: true,
    findEffect: (deps, _caller, _params, request) => findCreateResult(deps, request),
    run: (deps, caller, { body }, request) =>
      createIntent(deps, caller, parseNewIntent(deps, caller.sandbox, body), request),
  }),
  list('/dev/intents', {
    operationId: 'listIntents',
    summary: 'List payment intents',
    description:
      "Returns the payment intents of the key's environment, newest first. You can filter by payment time, refund time or amount, but by only one of these three at a time.",
    query: schema.listIntentsQuery,
    response: schema.intentPageSchema,
    shows: 'intent',
    run: async (deps, caller, { query }) => {
      const now = deps.now()
      const page = await listIntents(deps, caller, parseIntentList(query), now)
      return presentPage(page, (intent) => presentIntent(deps.config, intent, now))
    },
  }),
  get('/dev/intents/:referenceNumber', {
    operationId: 'getIntent',
    summary: 'Retrieve a payment intent',
    description: 'You can also use a publishable key, but then you get no fees and no refund reasons.',
    response: schema.intentSchema,
    errors: missing,
    key: 'any',
    shows: 'intent',
    run: async (deps, caller, { params }, deadlineAt) => {
      const now = deps.now()
      const intent = await findIntent(deps, caller, params.referenceNumber, deadlineAt)
      return presentForCaller(caller, deps.config, intent, now)
    },
  }),
  post('/dev/intents/:referenceNumber/cancel', {
    operationId: 'cancelIntent',
    summary: 'Cancel a payment intent',
    description:
      'Only a PENDING intent can be cancelled. It can then no longer be paid. After INTENT_CANCEL_CONFLICT, retrieve the intent: a customer is paying it, or it has just changed.',
    response: schema.intentSchema,
    errors: [...missing, 'INTENT_CANCEL_INVALID_STATUS', 'INTENT_CANCEL_CONFLICT'],
    ...ofIntent,
    run: (deps, caller, { params: { referenceNumber } }, request) =>
      cancelIntent(deps, caller, referenceNumber, request),
  }),
  post('/dev/intents/:referenceNumber/simulate-payment', {
    operationId: 'simulatePayment',
    summary: 'Simulate a payment',
    description:
      'Pays a test intent as a customer would; no money moves. With `outcome`, the payment fails for the reason that you choose, and the service returns PAYMENT_FAILED.',
    body: schema.simulatePaymentBody,
    response: schema.intentSchema,
    errors: [...missing, 'INTENT_NOT_PENDING', 'PAYMENT_FAILED'],
    sandboxOnly: true,
    ...ofIntent,
    run: (deps, caller, { params: { referenceNumber }, body }, request) =>
      simulatePayment(deps, caller, referenceNumber, parseSimulation(deps, body), request),
  }),
  post('/dev/intents/:referenceNumber/refund', {
    operationId: 'refundIntent',
    summary: 'Refund a payment intent',
    description:
      'Refunds `amount`, or the remaining balance if you omit it. The response can take up to 20 seconds; after SERVICE_UNAVAILABLE, retry with the same idempotency key.',
    body: schema.refundBody,
    response: schema.refundedIntentSchema,
    errors: [
      ...missing,
      'INTENT_REFUND_INVALID_STATUS',
      'AMOUNT_OUT_OF_RANGE',
      'REFUND_AMOUNT_MISMATCH',
      'REFUND_FAILED',
    ],
    scope: 'payments.refunds:write',
    ...ofIntent,
    run: (deps, caller, { params: { referenceNumber }, body }, request) =>
      refundIntent(deps, caller, referenceNumber, parseRefund(deps, body), request),
  }),
]

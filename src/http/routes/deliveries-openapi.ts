import { listDeliveriesQuery } from '../../../schemas/list-deliveries.ts'
import {
  deliveryId,
  deliveryPage,
  deliveryWithAttempts,
  retriedDelivery,
} from '../../../schemas/responses/delivery.ts'
import { described } from '../../../schemas/responses/fields.ts'
import * as example from './deliveries-example.ts'
import type { About } from './openapi-text.ts'
import { pageWith } from './page-example.ts'

const params = { id: described('The `id` of the delivery.', deliveryId) }
const ofOne = { id: example.deliveryId }
const missing = ['DELIVERY_NOT_FOUND', 'SANDBOX_MISMATCH'] as const

export const aboutDeliveries = {
  list: {
    operationId: 'listWebhookDeliveries',
    tag: 'Webhook deliveries',
    summary: 'List webhook deliveries',
    description: "Returns the webhook deliveries of the key's environment, newest first.",
    params: {},
    query: listDeliveriesQuery,
    body: null,
    response: deliveryPage,
    errors: [],
    example: { query: { status: 'RETRYING' }, response: pageWith(example.delivery, 20) },
  },
  get: {
    operationId: 'getWebhookDelivery',
    tag: 'Webhook deliveries',
    summary: 'Retrieve a webhook delivery',
    description:
      'Returns the delivery with the body that is sent, its latest attempts, and the headers of the last one without signatures.',
    params,
    query: null,
    body: null,
    response: deliveryWithAttempts,
    errors: missing,
    example: { params: ofOne, response: example.withAttempts },
  },
  retry: {
    operationId: 'retryWebhookDelivery',
    tag: 'Webhook deliveries',
    summary: 'Retry a webhook delivery',
    description:
      'Makes one more attempt now, with the same `id` and body. A CANCELLED delivery then continues its automatic attempts too. If the service makes no attempt, `reason` says why.',
    params,
    query: null,
    body: null,
    response: retriedDelivery,
    errors: missing,
    example: { params: ofOne, response: example.retried },
  },
} as const satisfies Record<string, About>

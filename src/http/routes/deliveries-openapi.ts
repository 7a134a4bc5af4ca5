import { listDeliveriesQuery, retryDeliveriesBody } from '../../../schemas/deliveries.ts'
import { described } from '../../../schemas/responses/fields.ts'
import {
  deliveryId,
  deliveryPage,
  deliveryWithAttempts,
  retriedDeliveries,
  retriedDelivery,
} from '../../../schemas/responses/webhooks.ts'
import { requeueBatch } from '../../webhooks/deliveries/requeue.ts'
import * as example from './deliveries-example.ts'
import { inSection, pageWith } from './openapi-text.ts'

const params = { id: described('The `id` of the delivery.', deliveryId) }
const ofOne = { id: example.deliveryId }
const missing = ['DELIVERY_NOT_FOUND', 'SANDBOX_MISMATCH'] as const

export const aboutDeliveries = inSection('Webhook deliveries', {
  list: {
    operationId: 'listWebhookDeliveries',
    summary: 'List webhook deliveries',
    description:
      "Returns the webhook deliveries of the key's environment, newest first. A test key sees no attempts at live endpoints: their fields are null.",
    query: listDeliveriesQuery,
    response: deliveryPage,
    example: { query: { status: 'RETRYING' }, response: pageWith(example.delivery, 20) },
  },
  get: {
    operationId: 'getWebhookDelivery',
    summary: 'Retrieve a webhook delivery',
    description:
      'Returns the delivery with its body, its latest attempts, and the headers of the last attempt without signatures.',
    params,
    response: deliveryWithAttempts,
    errors: missing,
    example: { params: ofOne, response: example.withAttempts },
  },
  retry: {
    operationId: 'retryWebhookDelivery',
    summary: 'Retry a webhook delivery',
    description:
      'Makes one more attempt now, with the same `id` and body. A CANCELLED delivery then continues its automatic attempts too. If the service makes no attempt, `reason` says why. The key must be of the environment of the event and of the endpoint.',
    params,
    response: retriedDelivery,
    errors: missing,
    example: { params: ofOne, response: example.retried },
  },
  retryMatching: {
    operationId: 'retryWebhookDeliveries',
    summary: 'Retry webhook deliveries by filter',
    description: `Makes one more attempt now at each matching delivery, oldest first, for at most ${requeueBatch} deliveries per request. At least one filter is required. The filters are those of the list of deliveries. With a test key, deliveries to live endpoints are skipped. If \`hasMore\` is true, repeat the request with a new idempotency key and with \`next\` as \`after\`.`,
    body: retryDeliveriesBody,
    response: retriedDeliveries,
    example: {
      body: { endpointId: example.delivery.endpointId, status: ['DEAD', 'RETRYING'], responseStatus: '5xx' },
      response: example.retriedMatching,
    },
  },
})

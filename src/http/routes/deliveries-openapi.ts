import { listDeliveriesQuery } from '../../../schemas/list-deliveries.ts'
import {
  deliveryId,
  deliveryPage,
  deliveryWithAttempts,
  retriedDelivery,
} from '../../../schemas/responses/delivery.ts'
import { saying } from '../../../schemas/responses/fields.ts'
import * as example from './deliveries-example.ts'
import type { About } from './openapi-text.ts'
import { pageWith } from './page-example.ts'

const params = { id: saying('`id` of the delivery.', deliveryId) }
const ofOne = { id: example.deliveryId }
const missing = ['DELIVERY_NOT_FOUND', 'SANDBOX_MISMATCH'] as const

export const aboutDeliveries = {
  list: {
    operationId: 'listWebhookDeliveries',
    tag: 'Webhook deliveries',
    summary: 'List deliveries',
    description: "Newest first, of the key's environment.",
    params: {},
    query: listDeliveriesQuery,
    body: null,
    answer: deliveryPage,
    errors: [],
    example: { query: { status: 'RETRYING' }, answer: pageWith(example.delivery, 20) },
  },
  get: {
    operationId: 'getWebhookDelivery',
    tag: 'Webhook deliveries',
    summary: 'Read a delivery with its attempts',
    description: 'Includes the body that is sent.',
    params,
    query: null,
    body: null,
    answer: deliveryWithAttempts,
    errors: missing,
    example: { params: ofOne, answer: example.withAttempts },
  },
  retry: {
    operationId: 'retryWebhookDelivery',
    tag: 'Webhook deliveries',
    summary: 'Retry a delivery',
    description:
      'Makes one more attempt now, with the same `id` and bytes. If none is made, `reason` says why.',
    params,
    query: null,
    body: null,
    answer: retriedDelivery,
    errors: missing,
    example: { params: ofOne, answer: example.retried },
  },
} as const satisfies Record<string, About>

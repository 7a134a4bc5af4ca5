import * as inputs from '../../../schemas/deliveries.ts'
import { described } from '../../../schemas/requests.ts'
import * as schema from '../../../schemas/responses/webhooks.ts'
import { findFullDelivery, listDeliveries, parseDeliverySearch } from '../../webhooks/deliveries/find.ts'
import { presentDeliveries, presentFullDelivery } from '../../webhooks/deliveries/present.ts'
import { requeueBatchSize } from '../../webhooks/deliveries/requeue.ts'
import {
  findRetryResult,
  parseRetryFilter,
  retryDeliveries,
  retryDelivery,
} from '../../webhooks/deliveries/retry.ts'
import { declareOperations } from '../operations/route.ts'

const { get, list, post } = declareOperations('Webhook deliveries', {
  read: 'webhooks.deliveries:read',
  write: 'webhooks.deliveries:write',
  params: { id: described('The `id` of the delivery.', schema.deliveryIdSchema) },
})

const missing = ['DELIVERY_NOT_FOUND', 'SANDBOX_MISMATCH'] as const

export const deliveryRoutes = [
  list('/dev/webhooks/events', {
    operationId: 'listWebhookDeliveries',
    summary: 'List webhook deliveries',
    description:
      "Returns the webhook deliveries of the key's environment, newest first. For a test key, attempts to live endpoints are hidden, and fields about them are null.",
    query: inputs.listDeliveriesQuery,
    response: schema.deliveryPageSchema,
    shows: 'delivery',
    run: async (deps, caller, { query }) => {
      const { items, ...page } = await listDeliveries(deps, caller, parseDeliverySearch(query))
      return { items: await presentDeliveries(deps, caller, items), ...page }
    },
  }),
  get('/dev/webhooks/events/:id', {
    operationId: 'getWebhookDelivery',
    summary: 'Retrieve a webhook delivery',
    description: 'Returns the delivery with its body, its latest attempts and the headers of the last one.',
    response: schema.deliveryWithAttemptsSchema,
    errors: missing,
    shows: 'wholeDelivery',
    run: async (deps, caller, { params }) =>
      presentFullDelivery(deps, caller, await findFullDelivery(deps, caller, params.id)),
  }),
  post('/dev/webhooks/events/retry', {
    operationId: 'retryWebhookDeliveries',
    summary: 'Retry webhook deliveries by filter',
    description: `Retries every matching delivery once, oldest first, up to ${requeueBatchSize} per request. If \`hasMore\` is true, repeat it with a new idempotency key and \`next\` as \`after\`.`,
    body: inputs.retryDeliveriesBody,
    response: schema.retriedDeliveriesSchema,
    findEffect: (deps, caller, _params, request) => findRetryResult(deps, caller, '', request),
    run: (deps, caller, { body }, request) =>
      retryDeliveries(deps, caller, parseRetryFilter(deps, body), request),
  }),
  post('/dev/webhooks/events/:id/retry', {
    operationId: 'retryWebhookDelivery',
    summary: 'Retry a webhook delivery',
    description: 'Makes one more attempt now, with the same `id` and body, or explains in `reason` why not.',
    response: schema.retriedDeliverySchema,
    errors: missing,
    findEffect: (deps, caller, { id }, request) => findRetryResult(deps, caller, id, request),
    run: (deps, caller, { params: { id } }, request) => retryDelivery(deps, caller, id, request),
  }),
]

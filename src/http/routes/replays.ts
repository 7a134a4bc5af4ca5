import { replayEndpointBody } from '../../../schemas/endpoints.ts'
import { described, pageQuery } from '../../../schemas/requests.ts'
import { idSchema } from '../../../schemas/responses/fields.ts'
import * as schema from '../../../schemas/responses/webhooks.ts'
import { parsePageRequest, presentPage } from '../../lists/pagination.ts'
import { cancelMerchantReplay, findReplay, listReplays, presentReplay } from '../../replays/replay.ts'
import { parseReplayBody, requestReplay } from '../../replays/start.ts'
import { declareOperations } from '../operations/route.ts'

const { get, list, post } = declareOperations('Webhook deliveries', {
  read: 'webhooks.deliveries:read',
  write: 'webhooks.deliveries:write',
  params: {
    id: described('The `id` of the endpoint.', idSchema),
    replayId: described('The `id` of the replay.', idSchema),
  },
})

const missing = ['REPLAY_NOT_FOUND', 'SANDBOX_MISMATCH'] as const

export const replayRoutes = [
  post('/dev/webhooks/endpoints/:id/replay', {
    operationId: 'replayWebhookEvents',
    summary: 'Replay events to an endpoint',
    description:
      'Sends the events of a period to the endpoint again, oldest first, alongside new events. An existing delivery gets one more attempt with the same `id` and body; a missing one is created.',
    body: replayEndpointBody,
    response: schema.requestedReplaySchema,
    errors: ['ENDPOINT_NOT_FOUND', 'SANDBOX_MISMATCH', 'ENDPOINT_NOT_ACTIVE', 'EVENTS_NOT_PERMITTED'],
    status: 201,
    hasDryRun: true,
    run: async (deps, caller, { params: { id }, body }, request) =>
      requestReplay(deps, caller, id, parseReplayBody(deps, body), request),
  }),
  list('/dev/webhooks/endpoints/:id/replays', {
    operationId: 'listWebhookReplays',
    summary: 'List the replays of an endpoint',
    description: 'Returns the replays, newest first. They are kept for 90 days, or 30 days in the sandbox.',
    query: pageQuery,
    response: schema.replayPageSchema,
    errors: ['ENDPOINT_NOT_FOUND', 'SANDBOX_MISMATCH'],
    shows: 'replay',
    run: async (deps, caller, { params: { id }, query }) =>
      presentPage(await listReplays(deps, caller, id, parsePageRequest(query)), presentReplay),
  }),
  get('/dev/webhooks/endpoints/:id/replays/:replayId', {
    operationId: 'getWebhookReplay',
    summary: 'Retrieve a replay',
    description:
      'Returns the replay. Once it is DONE, `requeued`, `created` and `skipped` add up to `total`.',
    response: schema.replaySchema,
    errors: missing,
    shows: 'replay',
    run: async (deps, caller, { params: { id, replayId } }) =>
      presentReplay(await findReplay(deps, caller, id, replayId)),
  }),
  post('/dev/webhooks/endpoints/:id/replays/:replayId/cancel', {
    operationId: 'cancelWebhookReplay',
    summary: 'Cancel a replay',
    description: 'Stops a running replay within 2 s. Attempts that it has already scheduled are still made.',
    response: schema.replaySchema,
    errors: missing,
    run: (deps, caller, { params: { id, replayId } }, request) =>
      cancelMerchantReplay(deps, caller, id, replayId, request),
  }),
]

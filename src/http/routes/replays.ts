import { replayEndpointBody } from '../../../schemas/endpoints.ts'
import { type PageQuery, pageQuery } from '../../../schemas/requests.ts'
import { id as idSchema, withDescription } from '../../../schemas/responses/fields.ts'
import { replayPageSchema, replaySchema, requestedReplaySchema } from '../../../schemas/responses/webhooks.ts'
import { presentPage, readPageRequest } from '../../lists/pagination.ts'
import { cancelOwnReplay, findReplay, listReplays, presentReplay } from '../../replays/replay.ts'
import { parseReplay, requestReplay } from '../../replays/start.ts'
import { inSection, type OperationInput } from '../operations/route.ts'

const endpointParams = { id: withDescription('The `id` of the endpoint.', idSchema) }
const pathParams = { ...endpointParams, replayId: withDescription('The `id` of the replay.', idSchema) }
const missing = ['REPLAY_NOT_FOUND', 'SANDBOX_MISMATCH'] as const

export const replayRoutes = inSection('Webhook deliveries', [
  {
    method: 'post',
    path: '/dev/webhooks/endpoints/:id/replay',
    about: {
      operationId: 'replayWebhookEvents',
      summary: 'Replay events to an endpoint',
      description:
        'Sends the events of a period to the endpoint again, oldest first, alongside new events. An existing delivery gets one more attempt with the same `id` and body; a missing one is created.',
      params: endpointParams,
      body: replayEndpointBody,
      response: requestedReplaySchema,
      errors: ['ENDPOINT_NOT_FOUND', 'SANDBOX_MISMATCH', 'ENDPOINT_NOT_ACTIVE', 'EVENTS_NOT_PERMITTED'],
    },
    scope: 'webhooks.deliveries:write',
    status: 201,
    hasDryRun: true,
    run: async (deps, caller, { params: { id = '' }, body }, request) =>
      requestReplay(deps, caller, id, parseReplay(deps, body), request),
  },
  {
    method: 'get',
    path: '/dev/webhooks/endpoints/:id/replays',
    about: {
      operationId: 'listWebhookReplays',
      summary: 'List the replays of an endpoint',
      description:
        "Returns the endpoint's replays, newest first. A replay is kept for 90 days after its end, in the sandbox for 30 days.",
      params: endpointParams,
      query: pageQuery,
      response: replayPageSchema,
      errors: ['ENDPOINT_NOT_FOUND', 'SANDBOX_MISMATCH'],
    },
    shows: 'replay',
    isPage: true,
    scope: 'webhooks.deliveries:read',
    run: async (deps, caller, { params: { id = '' }, query }: OperationInput<PageQuery>) =>
      presentPage(await listReplays(deps, caller, id, readPageRequest(query)), presentReplay),
  },
  {
    method: 'get',
    path: '/dev/webhooks/endpoints/:id/replays/:replayId',
    about: {
      operationId: 'getWebhookReplay',
      summary: 'Retrieve a replay',
      description:
        'Returns the replay with its progress: `requeued`, `created` and `skipped` add up to `total` when it is DONE.',
      params: pathParams,
      response: replaySchema,
      errors: missing,
    },
    shows: 'replay',
    scope: 'webhooks.deliveries:read',
    run: async (deps, caller, { params: { id = '', replayId = '' } }) =>
      presentReplay(await findReplay(deps, caller, id, replayId)),
  },
  {
    method: 'post',
    path: '/dev/webhooks/endpoints/:id/replays/:replayId/cancel',
    about: {
      operationId: 'cancelWebhookReplay',
      summary: 'Cancel a replay',
      description:
        'Stops a running replay within 2 s. Attempts that it has already scheduled are still made.',
      params: pathParams,
      response: replaySchema,
      errors: missing,
    },
    scope: 'webhooks.deliveries:write',
    run: (deps, caller, { params: { id = '', replayId = '' } }, request) =>
      cancelOwnReplay(deps, caller, id, replayId, request),
  },
])

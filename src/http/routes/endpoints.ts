import * as inputs from '../../../schemas/endpoints.ts'
import { described } from '../../../schemas/requests.ts'
import { idSchema } from '../../../schemas/responses/fields.ts'
import * as schema from '../../../schemas/responses/webhooks.ts'
import type { Caller } from '../../businesses/caller.ts'
import { type Page, parsePageRequest, presentPage, readPage } from '../../lists/pagination.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuse } from '../../platform/errors.ts'
import * as acts from '../../webhooks/endpoints/change.ts'
import { type Endpoint, undeletedFilter } from '../../webhooks/endpoints/endpoint.ts'
import { findEndpoint, presentListedEndpoint } from '../../webhooks/endpoints/find.ts'
import { parseTestEvent, testEndpoint } from '../../webhooks/endpoints/send-test.ts'
import { declareOperations } from '../operations/route.ts'

const { get, list, post, put, remove } = declareOperations('Webhook endpoints', {
  read: 'webhooks.endpoints:read',
  write: 'webhooks.endpoints:write',
  params: { id: described('The `id` of the endpoint.', idSchema) },
})

export const endpointRoutes = [
  post('/dev/webhooks/endpoints', {
    operationId: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    description:
      'Registers a URL for your events: only sandbox events with a test key, or sandbox and live events with a live key. Store the `secret`: only a repeat with the same idempotency key returns it again.',
    body: inputs.createEndpointBody,
    response: schema.endpointWithSecretSchema,
    errors: ['EVENTS_NOT_PERMITTED', 'MAX_ENDPOINTS_REACHED'],
    status: 201,
    run: async (deps, caller, { body }, request) =>
      acts.createEndpoint(deps, caller, acts.parseNewEndpoint(deps, caller, body), request),
  }),
  get('/dev/webhooks/endpoints/:id', {
    operationId: 'getWebhookEndpoint',
    summary: 'Retrieve a webhook endpoint',
    description: 'Returns the endpoint without its secret. `last24Hours` is as in the list.',
    response: schema.listedEndpointSchema,
    errors: ['ENDPOINT_NOT_FOUND', 'SANDBOX_MISMATCH'],
    shows: 'endpoint',
    run: async (deps, caller, { params: { id } }) =>
      presentListedEndpoint(await findEndpoint(deps, caller, id), deps.now()),
  }),
  put('/dev/webhooks/endpoints/:id', {
    operationId: 'updateWebhookEndpoint',
    summary: 'Update a webhook endpoint',
    description: 'Changes only the fields that you send. `events` and `headers` replace all earlier ones.',
    body: inputs.updateEndpointBody,
    response: schema.endpointSchema,
    errors: ['ENDPOINT_NOT_FOUND', 'SANDBOX_MISMATCH', 'EVENTS_NOT_PERMITTED'],
    looksItself: true,
    run: (deps, caller, { params: { id }, body }, request) =>
      acts.updateEndpoint(deps, caller, id, acts.parseEndpointChange(deps, caller, body), request),
  }),
  remove('/dev/webhooks/endpoints/:id', {
    operationId: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description:
      'Unfinished deliveries become CANCELLED, and a request already in flight is aborted within 3 seconds. A live key can delete test endpoints too.',
    response: schema.deletedEndpointSchema,
    errors: ['ENDPOINT_NOT_FOUND', 'SANDBOX_MISMATCH'],
    looksItself: true,
    run: (deps, caller, { params: { id } }, request) => acts.deleteEndpoint(deps, caller, id, request),
  }),
  post('/dev/webhooks/endpoints/:id/test', {
    operationId: 'testWebhookEndpoint',
    summary: 'Send a test event',
    description:
      'Sends one signed sample event, without retries. The status is 200 even if the attempt fails: check `delivered`.',
    body: inputs.testEndpointBody,
    response: schema.testResultSchema,
    errors: ['ENDPOINT_NOT_FOUND', 'SANDBOX_MISMATCH', 'EVENTS_NOT_PERMITTED'],
    run: async (deps, caller, { params: { id }, body }, request) =>
      testEndpoint(deps, caller, id, parseTestEvent(deps, caller, body), request),
  }),
  post('/dev/webhooks/endpoints/:id/rotate-secret', {
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate a webhook secret',
    description:
      'Creates a new signing secret, which only this response contains. Your key needs the scopes for all events of the endpoint. For 24 hours, deliveries also carry a signature with the old secret.',
    response: schema.endpointWithSecretSchema,
    errors: ['ENDPOINT_NOT_FOUND', 'SANDBOX_MISMATCH', 'EVENTS_NOT_PERMITTED'],
    run: (deps, caller, { params: { id } }, request) => acts.rotateSecret(deps, caller, id, request),
  }),
  list('/dev/webhooks', {
    operationId: 'listWebhookEndpoints',
    summary: 'List webhook endpoints',
    description:
      'Returns the webhook endpoints of one environment, newest first, without their secrets. `last24Hours` shows how many of the latest attempts succeeded.',
    query: inputs.listEndpointsQuery,
    response: schema.endpointPageSchema,
    errors: ['SANDBOX_MISMATCH'],
    shows: 'endpoint',
    run: async (deps, caller, { query }) =>
      presentPage(await listEndpoints(deps, caller, query), (endpoint) =>
        presentListedEndpoint(endpoint, deps.now()),
      ),
  }),
]

/** A live key may list the endpoints of both environments. */
function listEndpoints(
  deps: Pick<Deps, 'Endpoint'>,
  { businessId, sandbox: isTest }: Caller,
  { sandbox = `${isTest}`, ...slice }: inputs.ListEndpointsQuery,
): Promise<Page<Endpoint>> {
  if (isTest && sandbox === 'false') throw refuse('SANDBOX_MISMATCH')
  const where = { businessId, sandbox: sandbox === 'true', ...undeletedFilter }
  return readPage<Endpoint>(deps.Endpoint, { where, index: 'slotInUse' }, parsePageRequest(slice))
}

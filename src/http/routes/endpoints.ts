import type { ListEndpointsQuery } from '../../../schemas/endpoints.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { type Page, presentPage, readPage, readSlice } from '../../input/pagination.ts'
import { createEndpoint, parseEndpoint } from '../../webhooks/endpoints/create.ts'
import { deleteEndpoint } from '../../webhooks/endpoints/delete.ts'
import { type Endpoint, standing } from '../../webhooks/endpoints/endpoint.ts'
import { presentListedEndpoint } from '../../webhooks/endpoints/present.ts'
import { rotateSecret } from '../../webhooks/endpoints/rotate-secret.ts'
import { parseTest, testEndpoint } from '../../webhooks/endpoints/send-test.ts'
import { parseUpdate, updateEndpoint } from '../../webhooks/endpoints/update.ts'
import type { OperationInput, Route } from '../operations/route.ts'
import { aboutEndpoints } from './endpoints-openapi.ts'

/** The operations on webhook endpoints (SPEC 4.8). */
export const endpointRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/dev/webhooks/endpoints',
    about: aboutEndpoints.create,
    scope: 'webhooks.endpoints:write',
    status: 201,
    run: async (deps, caller, { body }, request) =>
      createEndpoint(deps, caller, parseEndpoint(deps, caller, body), request),
  },
  {
    method: 'put',
    path: '/dev/webhooks/endpoints/:id',
    about: aboutEndpoints.update,
    scope: 'webhooks.endpoints:write',
    looksItself: true,
    run: (deps, caller, { params: { id = '' }, body }, request) =>
      updateEndpoint(deps, caller, id, parseUpdate(deps, caller, body), request),
  },
  {
    method: 'delete',
    path: '/dev/webhooks/endpoints/:id',
    about: aboutEndpoints.delete,
    scope: 'webhooks.endpoints:write',
    looksItself: true,
    run: (deps, caller, { params: { id = '' } }, request) => deleteEndpoint(deps, caller, id, request),
  },
  {
    method: 'post',
    path: '/dev/webhooks/endpoints/:id/test',
    about: aboutEndpoints.test,
    scope: 'webhooks.endpoints:write',
    run: async (deps, caller, { params: { id = '' }, body }, request) =>
      testEndpoint(deps, caller, id, parseTest(deps, caller, body), request),
  },
  {
    method: 'post',
    path: '/dev/webhooks/endpoints/:id/rotate-secret',
    about: aboutEndpoints.rotateSecret,
    scope: 'webhooks.endpoints:write',
    run: (deps, caller, { params: { id = '' } }, request) => rotateSecret(deps, caller, id, request),
  },
  {
    method: 'get',
    path: '/dev/webhooks',
    about: aboutEndpoints.list,
    shows: 'endpoint',
    isPage: true,
    scope: 'webhooks.endpoints:read',
    run: async (deps, caller, { query }: OperationInput<ListEndpointsQuery>) =>
      presentPage(await listEndpoints(deps, caller, query), (endpoint) => presentListedEndpoint(endpoint, deps.now())),
  },
]

/** Lists the caller's endpoints in one environment, newest first. A live key may list those of both. */
function listEndpoints(
  deps: Pick<Deps, 'Endpoint'>,
  { businessId, sandbox: isTest }: Caller,
  { sandbox = `${isTest}`, ...slice }: ListEndpointsQuery,
): Promise<Page<Endpoint>> {
  if (isTest && sandbox === 'false') throw refuse('SANDBOX_MISMATCH')
  const where = { businessId, sandbox: sandbox === 'true', ...standing }
  return readPage<Endpoint>(deps.Endpoint, { where, index: 'slotInUse' }, readSlice(slice))
}

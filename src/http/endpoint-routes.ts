import { createEndpoint, parseEndpoint, recallEndpoint } from '../webhooks/create-endpoint.ts'
import { listEndpoints, parsePage } from '../webhooks/list-endpoints.ts'
import { presentEndpoint } from '../webhooks/present.ts'
import type { Route } from './route.ts'

/** Webhook endpoints (SPEC 4.8). */
export const endpointRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/dev/webhooks/endpoints',
    scope: 'webhooks.endpoints:write',
    status: 201,
    body: 'json',
    recall: recallEndpoint,
    run: (deps, caller, { body }, effect) =>
      createEndpoint(deps, caller, parseEndpoint(deps, caller, body), effect),
  },
  {
    method: 'get',
    path: '/dev/webhooks',
    key: 'secret',
    scope: 'webhooks.endpoints:read',
    run: async (deps, caller, { query }) => {
      const { items, ...page } = await listEndpoints(deps, caller, parsePage(deps, query))
      return { items: items.map(presentEndpoint), ...page }
    },
  },
]

import type { Scope } from '../../schemas/scopes.ts'
import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import type { Recall } from '../idempotency/claim.ts'
import type { Effect } from '../idempotency/effect.ts'
import { cancelIntent } from '../intents/cancel.ts'
import { createIntent } from '../intents/create.ts'
import { findIntent } from '../intents/find.ts'
import { listIntents, parseList } from '../intents/list.ts'
import { parseCreate } from '../intents/parse-create.ts'
import { presentIntent } from '../intents/present.ts'
import { recallIntent } from '../intents/recall.ts'
import { createEndpoint, parseEndpoint, recallEndpoint } from '../webhooks/create-endpoint.ts'
import { listEndpoints, parsePage } from '../webhooks/list-endpoints.ts'
import { presentEndpoint } from '../webhooks/present.ts'

/** What a request brings: path parameters, query and body, not judged yet. */
export interface Asked {
  params: Record<string, string>
  query: unknown
  body: unknown
}

interface Common {
  /** Below /api/v1. */
  path: string
  scope: Scope
}

export interface ReadRoute extends Common {
  method: 'get'
  /** Which kind of key may ask; a publishable one only where a customer's browser may. */
  key: 'any' | 'secret'
  run(deps: Deps, caller: Caller, asked: Asked): Promise<unknown>
}

export interface WriteRoute extends Common {
  method: 'post' | 'put' | 'patch' | 'delete'
  /** Status of the success. */
  status: 200 | 201
  /** Whether there is a body to judge; otherwise whatever comes is ignored. */
  body: 'json' | 'none'
  /** How a create's answer is found by its effect id; null where the answer is kept with the claim. */
  recall: Recall | null
  run(deps: Deps, caller: Caller, asked: Asked, effect: Effect): Promise<unknown>
}

export type Route = ReadRoute | WriteRoute

/** Every operation of the API: its address, what a key needs, and parse → operate → present. */
export const routes: readonly Route[] = [
  {
    method: 'post',
    path: '/dev/intents',
    scope: 'payments.intents:write',
    status: 201,
    body: 'json',
    recall: recallIntent,
    run: (deps, caller, { body }, effect) =>
      createIntent(deps, caller, parseCreate(deps, caller.sandbox, body), effect),
  },
  {
    method: 'get',
    path: '/dev/intents',
    key: 'secret',
    scope: 'payments.intents:read',
    run: async (deps, caller, { query }) => {
      const { items, ...page } = await listIntents(deps, caller, parseList(deps, query))
      return { items: items.map((intent) => presentIntent(deps.config, intent, deps.now())), ...page }
    },
  },
  {
    method: 'get',
    path: '/dev/intents/:referenceNumber',
    key: 'any',
    scope: 'payments.intents:read',
    run: async (deps, caller, { params }) =>
      presentIntent(deps.config, await findIntent(deps, caller, params.referenceNumber ?? ''), deps.now()),
  },
  {
    method: 'post',
    path: '/dev/intents/:referenceNumber/cancel',
    scope: 'payments.intents:write',
    status: 200,
    body: 'none',
    recall: null,
    run: async (deps, caller, { params }, effect) =>
      presentIntent(
        deps.config,
        await cancelIntent(deps, caller, params.referenceNumber ?? '', effect),
        deps.now(),
      ),
  },
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

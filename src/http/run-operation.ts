import type { Request, Response } from 'express'
import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import { type Answer, success } from './answer.ts'
import { authenticate } from './authenticate.ts'
import { readBody } from './body.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { idempotencyKey, runOnce } from './idempotency.ts'
import type { ReadRoute, Route, WriteRoute } from './route.ts'

/** The journey of a request to an operation, in the order in which its checks fail (docs/decisions.md). */
export async function runOperation(deps: Deps, route: Route, req: Request, res: Response): Promise<Answer> {
  if (!deps.apiSwitch.isOn()) throw refuse('FEATURE_DISABLED', { retryAfterSeconds: 60 })
  const deadline = startDeadline()
  const caller = await authenticate(deps, req, deadline)
  res.locals.caller = caller
  allow(route, caller)
  return route.method === 'get'
    ? read(deps, route, caller, deadline, req)
    : write(deps, route, caller, deadline, req, res)
}

function allow(route: Route, caller: Caller): void {
  const needsSecret = route.method !== 'get' || route.key === 'secret'
  if (needsSecret && caller.kind !== 'secret') throw refuse('SECRET_KEY_REQUIRED')
  if (!caller.scopes.has(route.scope)) throw refuse('SCOPE_REQUIRED', { details: { scope: route.scope } })
  if (route.sandboxOnly && !caller.sandbox) throw refuse('SANDBOX_ONLY')
}

async function read(
  deps: Deps,
  route: ReadRoute,
  caller: Caller,
  deadline: Deadline,
  req: Request,
): Promise<Answer> {
  const asked = { params: req.params as Record<string, string>, query: req.query, body: undefined }
  return success(200, await deadline.spend(() => route.run(deps, caller, asked)))
}

async function write(
  deps: Deps,
  route: WriteRoute,
  caller: Caller,
  deadline: Deadline,
  req: Request,
  res: Response,
): Promise<Answer> {
  const key = idempotencyKey(req)
  const params = req.params as Record<string, string>
  const body = await readBody(req, res)
  return runOnce(deps, caller, deadline, {
    key,
    method: route.method,
    // The parameters decoded, so that two spellings of one path are one path.
    path: JSON.stringify([route.path, params]),
    params: route.body === 'json' && 'value' in body ? [req.query, body.value] : [req.query],
    status: route.status,
    recall: route.recall,
    errandMs: route.errandMs?.(deps.config) ?? null,
    requestId: String(res.locals.requestId),
    run: async (effect) => {
      if ('refusal' in body && route.body === 'json') throw body.refusal
      const asked = { params, query: req.query, body: 'value' in body ? body.value : undefined }
      return route.run(deps, caller, asked, effect)
    },
  })
}

import type { Request, Response } from 'express'
import { emptyQuery } from '../../../schemas/requests.ts'
import { type Caller, identifyByKey } from '../../businesses/caller.ts'
import { maxPageBytes, PageTooLarge } from '../../limits/capacity.ts'
import type { Page } from '../../lists/pagination.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuse } from '../../platform/errors.ts'
import { inSpan } from '../../tracing/tracing.ts'
import { readBody, reserveBody } from '../body/read-body.ts'
import { prefersCsv, type StartedDownload, startDownload } from '../responses/download.ts'
import { type ApiResponse, successResponse } from '../responses/envelope.ts'
import { memoryOfDownload, memoryOfOne, memoryOfPage } from '../responses/largest.ts'
import { type BuiltResponse, buildPage, sizeOf } from '../responses/send.ts'
import { type Deadline, startDeadline } from '../server/timeouts.ts'
import { causeOf } from './cause.ts'
import { idempotencyKey, runOnce } from './idempotency.ts'
import { limitKey, limitUnknown } from './limit-rate.ts'
import {
  bodyKindOf,
  type DownloadRoute,
  isForBrowsers,
  type OperationInput,
  type ReadRoute,
  type Route,
  scopesOf,
  type WriteRoute,
} from './route.ts'

interface Call {
  deps: Deps
  req: Request
  res: Response
  deadline: Deadline
  caller: Caller
}

/** Checks run in the documented order (docs/maintainers/decisions.md). */
export async function runOperation(
  deps: Deps,
  route: Route,
  req: Request,
  res: Response,
): Promise<ApiResponse | BuiltResponse | StartedDownload> {
  const deadline = startDeadline()
  const caller = await identifyCaller({ deps, req, res, deadline })
  const call: Call = { deps, req, res, deadline, caller }
  await limitKey(deps, caller, res)
  allow(route, caller)
  if (route.method !== 'get') return write(call, route)
  return 'download' in route ? download(call, route) : read(call, route)
}

/**
 * Steps 2 to 5 in the order of checks (SPEC 5, docs/maintainers/decisions.md). `req.ip` is safe, because Express
 * determines it from TRUST_PROXY. A rejected request has its key in the log line too (http/server/log-request.ts).
 */
async function identifyCaller({ deps, req, res, deadline }: Omit<Call, 'caller'>): Promise<Caller> {
  if (!deps.apiSwitch.isOn()) throw refuse('FEATURE_DISABLED', { retryAfterSeconds: 60 })
  const unsure = deps.databaseTime.unsure()
  if (unsure !== null) await deadline.run(() => unsure)
  const address = req.ip ?? ''
  return deadline.run((deadlineAt) =>
    limitUnknown(deps, address, res, async () =>
      identifyByKey(deps, bearerToken(req), address, deadlineAt, (key) => {
        res.locals.key = key
      }),
    ),
  )
}

/** Exactly `Bearer` in any case, one space and the token (SPEC 5.1). */
function bearerToken(req: Request): string {
  const values = req.headersDistinct.authorization ?? []
  if (values.length === 0) throw refuse('MISSING_CREDENTIALS')
  const token = /^bearer ([^\s,]+)$/i.exec(values.length === 1 ? (values[0] ?? '') : '')?.[1]
  if (token === undefined) throw refuse('INVALID_AUTH_HEADER')
  return token
}

function allow(route: Route, caller: Caller): void {
  if (!isForBrowsers(route) && caller.kind !== 'secret') throw refuse('SECRET_KEY_REQUIRED')
  const { scope } = route
  if (!scopesOf(route).some((each) => caller.scopes.has(each)))
    throw refuse('SCOPE_REQUIRED', { details: typeof scope === 'string' ? { scope } : scope })
  if (route.sandboxOnly && !caller.sandbox) throw refuse('SANDBOX_ONLY')
}

async function read(call: Call, route: ReadRoute): Promise<BuiltResponse | ApiResponse> {
  if (route.toCsv !== undefined) call.res.vary('Accept')
  const input = readInput(call, route, undefined)
  const polled = await longPoll(call, route, input)
  if (polled === null) return readNow(call, route, input)
  if ('data' in polled) return successResponse(200, polled.data)
  // The key may have been revoked in the meantime.
  const caller = await identifyCaller(call)
  allow(route, caller)
  return readNow({ ...call, caller }, route, { ...input, query: polled.query })
}

/** Lets a long-poll wait, at most until the client disconnects. Only its reads count towards the deadline. */
async function longPoll({ deps, res, deadline, caller }: Call, route: ReadRoute, input: OperationInput) {
  if (route.longPoll === undefined) return null
  const gone = new AbortController()
  const abort = (): void => gone.abort()
  res.once('close', abort)
  try {
    const limits = { read: deadline.run, signal: gone.signal }
    return await route.longPoll(deps, caller, input as OperationInput<never>, limits)
  } finally {
    res.off('close', abort)
  }
}

/** Waits once, for everything that the read needs. Whatever the client does, the read gives it back. */
async function readNow(call: Call, route: ReadRoute, input: OperationInput): Promise<BuiltResponse> {
  const { deps, res, deadline, caller } = call
  const { businessId } = caller
  const isQuery = route.isPage === true || route.needsQuery === true
  const memory = await deps.memory.reserve(
    businessId,
    {
      memory: route.isPage ? memoryOfPage(route.shows, input.query) : memoryOfOne(route.shows),
      reads: 1,
      ...(isQuery && { lists: 1, queries: 1 }),
    },
    res,
  )
  const beganAt = performance.now()
  let bytes = 0
  const runRoute = (deadlineAt: number) =>
    route.run(isQuery ? { ...deps, ...deps.lists.models } : deps, caller, input, deadlineAt)
  try {
    const data = await inSpan(deps, 'operation', causeOf(res).traceparent, () =>
      deadline.run((deadlineAt) =>
        // The query may take longer than the deadline.
        memory.during(() =>
          (isQuery ? deps.lists.read(() => runRoute(deadlineAt)) : runRoute(deadlineAt)).finally(() =>
            memory.held.resize({ queries: 0 }),
          ),
        ),
      ),
    )
    const csv =
      route.toCsv !== undefined && prefersCsv(res.req) ? route.toCsv(data as never, input as never) : null
    const parts = await memory.during(async () => {
      if (csv !== null) return [Buffer.from(csv.text)]
      return route.isPage ? buildPage(data as Page<unknown>) : [successResponse(200, data).body]
    })
    bytes = sizeOf(parts)
    memory.built(bytes)
    return { parts, memory, csvName: csv?.name ?? null }
  } catch (error) {
    if (error instanceof PageTooLarge) bytes = maxPageBytes
    throw error
  } finally {
    deps.capacity.endRead(businessId, memory.held, { bytes, tookMs: performance.now() - beganAt })
  }
}

async function download(call: Call, route: DownloadRoute): Promise<StartedDownload> {
  const { deps, res, deadline, caller } = call
  const input = readInput(call, route, undefined)
  const { businessId } = caller
  const memory = await deps.memory.reserve(businessId, { exports: 1, memory: memoryOfDownload }, res)
  const beganAt = performance.now()
  res.once('close', () =>
    deps.capacity.endRead(businessId, memory.held, { bytes: 0, tookMs: performance.now() - beganAt }),
  )
  return memory.during(async () => {
    const file = await deadline.run(() => route.download(deps, caller, input))
    return startDownload(file, deadline)
  })
}

/**
 * Throws VALIDATION_ERROR for an unknown or invalid query parameter (step 12 in the order of checks,
 * docs/maintainers/decisions.md).
 */
const readInput = ({ deps, req }: Call, { about }: Route, body: unknown): OperationInput => ({
  params: req.params as Record<string, string>,
  query: deps.validate(about.query ?? emptyQuery, req.query),
  body,
})

async function write(call: Call, route: WriteRoute): Promise<ApiResponse> {
  const { deps, req, res, deadline, caller } = call
  const key = idempotencyKey(req)
  const kind = bodyKindOf(route)
  const memory = reserveBody(deps, caller, req, kind ?? 'json')
  return memory.during(async () => {
    const body = await readBody(deps, caller, req, res, kind ?? 'json', memory)
    const unread = kind !== null && 'refusal' in body ? body.refusal : null
    const response = await runOnce(deps, caller, deadline, {
      route,
      params: req.params as Record<string, string>,
      key,
      input: kind !== null && 'params' in body ? [req.query, body.params] : [req.query],
      status: route.hasDryRun && 'value' in body && isDryRun(body.value) ? 200 : (route.status ?? 200),
      unread,
      cause: causeOf(res),
      // Keeps the memory while the operation runs: it may run a few seconds past its deadline and still need the body.
      run: (request) =>
        memory.during(async () => {
          if (unread !== null) throw unread
          const input = readInput(call, route, 'value' in body ? body.value : undefined)
          return route.run(deps, caller, input, request)
        }),
    })
    deps.memory.count(caller.businessId, response.body.length, res)
    return response
  })
}

const isDryRun = (body: unknown): boolean => (body as { dryRun?: unknown } | null)?.dryRun === true

import type { Request, Response } from 'express'
import { csvParams } from '../../../schemas/delimiter.ts'
import { emptyQuery } from '../../../schemas/requests.ts'
import { type Caller, identifyByApiKey } from '../../businesses/caller.ts'
import { maxPageBytes, PageTooLarge } from '../../limits/capacity.ts'
import type { Page } from '../../lists/pagination.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuse } from '../../platform/errors.ts'
import { runInSpan } from '../../tracing/tracing.ts'
import type { ParsedBody } from '../body/json-body.ts'
import { readBody, reserveBody } from '../body/read-body.ts'
import { prefersCsv, type StartedDownload, startDownload } from '../responses/download.ts'
import { type ApiResponse, successResponse } from '../responses/envelope.ts'
import { downloadMemoryBytes, itemMemoryBytes, pageMemoryBytes } from '../responses/largest.ts'
import { type BuiltResponse, buildPage, totalBytes } from '../responses/send.ts'
import { readCausingRequest } from '../server/log-request.ts'
import { type Deadline, startDeadline } from '../server/timeouts.ts'
import { readIdempotencyKey, runWriteOnce } from './idempotency.ts'
import { limitKeyRate, limitUnknownKeys } from './limit-rate.ts'
import {
  type DownloadRoute,
  isBrowserRoute,
  type OperationInput,
  type ReadRoute,
  type Route,
  scopesOfRoute,
  type WriteRoute,
} from './route.ts'

interface Call {
  deps: Deps
  req: Request
  res: Response
  deadline: Deadline
  caller: Caller
}

export async function runOperation(
  deps: Deps,
  route: Route,
  req: Request,
  res: Response,
): Promise<ApiResponse | BuiltResponse | StartedDownload> {
  const deadline = startDeadline()
  const caller = await identifyCaller({ deps, req, res, deadline })
  const call: Call = { deps, req, res, deadline, caller }
  await limitKeyRate(deps, caller, res)
  allow(route, caller)
  if (route.method !== 'get') return write(call, route)
  return 'download' in route ? download(call, route) : read(call, route)
}

/** Performs steps 2 to 5 in docs/maintainers/decisions.md (SPEC 5). */
async function identifyCaller({ deps, req, res, deadline }: Omit<Call, 'caller'>): Promise<Caller> {
  if (!deps.apiSwitch.isOn()) throw refuse('FEATURE_DISABLED', { retryAfterSeconds: 60 })
  const unsure = deps.databaseTime.unsure()
  if (unsure !== null) await deadline.run(() => unsure)
  const address = req.ip ?? ''
  return deadline.run((deadlineAt) =>
    limitUnknownKeys(deps, address, res, async () =>
      identifyByApiKey(deps, bearerToken(req), address, deadlineAt, (key) => {
        res.locals.key = key
      }),
    ),
  )
}

/** Expects `Bearer` in any case, one space and the token (SPEC 5.1). */
function bearerToken(req: Request): string {
  const values = req.headersDistinct.authorization ?? []
  if (values.length === 0) throw refuse('MISSING_CREDENTIALS')
  const token = /^bearer ([^\s,]+)$/i.exec(values.length === 1 ? (values[0] ?? '') : '')?.[1]
  if (token === undefined) throw refuse('INVALID_AUTH_HEADER')
  return token
}

function allow(route: Route, caller: Caller): void {
  if (!isBrowserRoute(route) && caller.kind !== 'secret') throw refuse('SECRET_KEY_REQUIRED')
  const { scope } = route
  if (!scopesOfRoute(route).some((each) => caller.scopes.has(each)))
    throw refuse('SCOPE_REQUIRED', { details: typeof scope === 'string' ? { scope } : scope })
  if (route.sandboxOnly && !caller.sandbox) throw refuse('SANDBOX_ONLY')
}

async function read(call: Call, route: ReadRoute): Promise<BuiltResponse | ApiResponse> {
  const input = readInput(call, route)
  if (route.toCsv !== undefined) {
    call.res.vary('Accept')
    if (!prefersCsv(call.res.req)) refuseCsvParams(input.query)
  }
  const gone = new AbortController()
  call.res.once('close', () => gone.abort())
  // Waiting in a long-poll doesn't count towards the deadline.
  const limits = { read: call.deadline.run, signal: gone.signal }
  const polled = (await route.longPoll?.(call.deps, call.caller, input, limits)) ?? null
  if (polled === null) return readNow(call, route, input)
  if ('data' in polled) return successResponse(200, polled.data)
  const caller = await identifyCaller(call)
  allow(route, caller)
  return readNow({ ...call, caller }, route, { ...input, query: polled.query })
}

function refuseCsvParams(query: unknown): void {
  const param = csvParams.find((name) => name in (query as object))
  if (param === undefined) return
  const message = `${param} applies only to a CSV response. Send \`Accept: text/csv\`.`
  throw refuse('VALIDATION_ERROR', { param, message })
}

/** In a single wait, reserves everything that the read needs. */
async function readNow(call: Call, route: ReadRoute, input: OperationInput): Promise<BuiltResponse> {
  const { deps, res, deadline, caller } = call
  const { businessId } = caller
  const isQuery = route.isPage === true || route.needsQuery === true
  const memory = await deps.memory.reserve(
    businessId,
    {
      memory: route.isPage ? pageMemoryBytes(route.shows, input.query) : itemMemoryBytes(route.shows),
      reads: 1,
      ...(isQuery && { lists: 1, queries: 1 }),
    },
    res,
  )
  const beganAt = performance.now()
  let bytes = 0
  const runRoute = async (deadlineAt: number) => {
    const run = () => route.run(isQuery ? { ...deps, ...deps.lists.models } : deps, caller, input, deadlineAt)
    try {
      return await (isQuery ? deps.lists.read(run) : run())
    } finally {
      memory.held.resize({ queries: 0 })
    }
  }
  try {
    const data = await runInSpan(deps, 'operation', readCausingRequest(res).traceparent, () =>
      // Keeps the memory reserved if the query outlives the deadline.
      deadline.run((deadlineAt) => memory.during(() => runRoute(deadlineAt))),
    )
    const csv = route.toCsv !== undefined && prefersCsv(res.req) ? route.toCsv(data, input) : null
    const parts = await memory.during(async () => {
      if (csv !== null) return [Buffer.from(csv.text)]
      return route.isPage ? buildPage(data as Page<unknown>) : [successResponse(200, data).body]
    })
    bytes = totalBytes(parts)
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
  const input = readInput(call, route)
  const { businessId } = caller
  const memory = await deps.memory.reserve(businessId, { exports: 1, memory: downloadMemoryBytes }, res)
  const beganAt = performance.now()
  res.once('close', () =>
    deps.capacity.endRead(businessId, memory.held, { bytes: 0, tookMs: performance.now() - beganAt }),
  )
  return memory.during(async () => {
    const file = await deadline.run(() => route.download(deps, caller, input))
    return startDownload(file, deadline)
  })
}

const readInput = ({ deps, req }: Call, { query }: Route, body?: unknown): OperationInput => ({
  params: req.params as Record<string, string>,
  query: deps.validate(query ?? emptyQuery, req.query),
  body,
})

async function write(call: Call, route: WriteRoute): Promise<ApiResponse> {
  const { deps, req, res, deadline, caller } = call
  const key = readIdempotencyKey(req)
  const kind = route.readsCsv ? 'csv' : 'json'
  const memory = reserveBody(deps, caller, req, kind)
  return memory.during(async () => {
    const sent = await readBody(deps, caller, req, res, kind, memory)
    const { value, params, refusal }: ParsedBody = route.body === undefined ? {} : sent
    const response = await runWriteOnce(deps, caller, deadline, {
      route,
      params: req.params as Record<string, string>,
      key,
      input: params === undefined ? [req.query] : [req.query, params],
      status: route.hasDryRun && isDryRun(value) ? 200 : (route.status ?? 200),
      unread: refusal,
      cause: readCausingRequest(res),
      // The operation may outlive its deadline and still need the body.
      run: (request) =>
        memory.during(async () => {
          if (refusal !== undefined) throw refusal
          return route.run(deps, caller, readInput(call, route, value), request)
        }),
    })
    deps.memory.count(caller.businessId, response.body.length, res)
    return response
  })
}

const isDryRun = (body: unknown): boolean => (body as { dryRun?: unknown } | null)?.dryRun === true

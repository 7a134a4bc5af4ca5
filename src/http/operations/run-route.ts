import type { Response } from 'express'
import { emptyQuery } from '../../../schemas/requests.ts'
import type { Caller } from '../../businesses/caller.ts'
import { maxPageBytes, PageTooLarge } from '../../limits/capacity.ts'
import { type BodyMemory, type ResponseMemory, smallBodyMemory } from '../../limits/memory.ts'
import type { Page } from '../../lists/pagination.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuse } from '../../platform/errors.ts'
import { runInSpan } from '../../tracing/tracing.ts'
import type { ParsedBody } from '../body/json-body.ts'
import { type StartedDownload, startDownload } from '../responses/download.ts'
import { type ApiResponse, successResponse } from '../responses/envelope.ts'
import { downloadMemoryBytes, itemMemoryBytes, pageMemoryBytes } from '../responses/largest.ts'
import { type BuiltResponse, buildPage, totalBytes } from '../responses/send.ts'
import { readCausingRequest } from '../server/log-request.ts'
import type { Deadline } from '../server/timeouts.ts'
import { runWriteOnce } from './idempotency.ts'
import { limitKeyRate } from './limit-rate.ts'
import * as routes from './route.ts'

export interface Call {
  deps: Deps
  res: Response
  deadline: Deadline
  caller: Caller
}

/** Step 2 in docs/maintainers/decisions.md (SPEC 5). */
export async function waitUntilOpen({ deps, deadline }: Pick<Call, 'deps' | 'deadline'>): Promise<void> {
  if (!deps.apiSwitch.isOn()) throw refuse('FEATURE_DISABLED', { retryAfterSeconds: 60 })
  const unsure = deps.databaseTime.unsure()
  if (unsure !== null) await deadline.run(() => unsure)
}

export async function admit({ deps, res, caller }: Call, route: routes.Route | PageRead): Promise<void> {
  await limitKeyRate(deps, caller, res)
  allow(route, caller)
}

/** A page may read data for which the API has no operation. */
export type PageRead = Pick<
  routes.ReadRoute,
  'scope' | 'key' | 'query' | 'shows' | 'isPage' | 'needsQuery' | 'run' | 'sandboxOnly'
>

export function allow(route: routes.Route | PageRead, caller: Caller): void {
  if (!routes.isBrowserRoute(route) && caller.kind !== 'secret') throw refuse('SECRET_KEY_REQUIRED')
  const { scope } = route
  if (!routes.scopesOfRoute(route).some((each) => caller.scopes.has(each)))
    throw refuse('SCOPE_REQUIRED', { details: typeof scope === 'string' ? { scope } : scope })
  if (route.sandboxOnly && !caller.sandbox) throw refuse('SANDBOX_ONLY')
}

export interface RouteInput {
  params: Record<string, string>
  query: unknown
}

export const validInput = (
  deps: Pick<Deps, 'validate'>,
  route: Pick<routes.Route, 'query'>,
  { params, query }: RouteInput,
  body?: unknown,
): routes.OperationInput => ({ params, query: deps.validate(route.query ?? emptyQuery, query), body })

/** In a single wait, reserves everything that the read needs. */
export async function runRead<Built>(
  { deps, res, deadline, caller }: Call,
  route: PageRead,
  input: routes.OperationInput,
  build: (data: unknown) => Promise<{ built: Built; bytes: number }>,
): Promise<{ built: Built; memory: ResponseMemory }> {
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
    const response = await memory.during(() => build(data))
    bytes = response.bytes
    memory.built(bytes)
    return { built: response.built, memory }
  } catch (error) {
    if (error instanceof PageTooLarge) bytes = maxPageBytes
    throw error
  } finally {
    deps.capacity.endRead(businessId, memory.held, { bytes, tookMs: performance.now() - beganAt })
  }
}

export async function readResponse(
  call: Call,
  route: routes.ReadRoute,
  input: routes.OperationInput,
  format: 'json' | 'csv',
): Promise<BuiltResponse> {
  const { built, memory } = await runRead(call, route, input, async (data) => {
    const csv = format === 'csv' ? route.toCsv?.(data, input) : undefined
    const parts =
      csv !== undefined
        ? [Buffer.from(csv.text)]
        : route.isPage
          ? await buildPage(data as Page<unknown>)
          : [successResponse(200, data).body]
    return { built: { parts, csvName: csv?.name ?? null }, bytes: totalBytes(parts) }
  })
  return { ...built, memory }
}

export async function beginDownload(
  { deps, res, deadline, caller }: Call,
  route: routes.DownloadRoute,
  input: routes.OperationInput,
): Promise<StartedDownload> {
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

export async function runWrite(
  { deps, res, deadline, caller }: Call,
  route: routes.WriteRoute,
  input: RouteInput & { key: string; body: ParsedBody },
  memory: BodyMemory = smallBodyMemory,
): Promise<ApiResponse> {
  const { value, params, refusal }: ParsedBody = route.body === undefined ? {} : input.body
  const response = await runWriteOnce(deps, caller, deadline, {
    route,
    params: input.params,
    key: input.key,
    input: params === undefined ? [input.query] : [input.query, params],
    status: route.hasDryRun && isDryRun(value) ? 200 : (route.status ?? 200),
    unread: refusal,
    cause: readCausingRequest(res),
    // The operation may outlive its deadline and still need the body.
    run: (request) =>
      memory.during(async () => {
        if (refusal !== undefined) throw refusal
        return route.run(deps, caller, validInput(deps, route, input, value), request)
      }),
  })
  deps.memory.count(caller.businessId, response.body.length, res)
  return response
}

const isDryRun = (body: unknown): boolean => (body as { dryRun?: unknown } | null)?.dryRun === true

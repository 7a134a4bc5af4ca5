import type { Request, Response } from 'express'
import { emptyQuery } from '../../../schemas/page.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import type { Page } from '../../input/pagination.ts'
import { maxPageBytes, PageTooLarge } from '../../lists/page-bytes.ts'
import { inSpan } from '../../tracing/in-span.ts'
import type { BodyMemory } from '../body/budget.ts'
import { type Body } from '../body/parsed.ts'
import { readBody, reserveBody } from '../body/read-body.ts'
import { buildOne, buildPage } from '../responses/build.ts'
import { prefersCsv } from '../responses/csv-file.ts'
import { beginDownload, type DownloadBegun } from '../responses/download.ts'
import { type ApiResponse, success } from '../responses/envelope.ts'
import { memoryOfDownload, memoryOfOne, memoryOfPage } from '../responses/largest.ts'
import { type BuiltResponse, sizeOf } from '../responses/send.ts'
import { type Deadline, startDeadline } from '../server/deadline.ts'
import { authenticate } from './authenticate.ts'
import { causeOf } from './cause.ts'
import { hold } from './hold.ts'
import { idempotencyKey, runOnce } from './idempotency.ts'
import { limitKey } from './limit-rate.ts'
import {
  bodyKindOf,
  type DownloadRoute,
  type OperationInput,
  type ReadRoute,
  type Route,
  scopesOf,
  type WriteRoute,
} from './route.ts'

/** Runs an operation after all its checks, which run in the documented order (docs/maintainers/decisions.md). */
export async function runOperation(
  deps: Deps,
  route: Route,
  req: Request,
  res: Response,
): Promise<ApiResponse | BuiltResponse | DownloadBegun> {
  const deadline = startDeadline()
  const caller = await identifyCaller(deps, req, res, deadline)
  await limitKey(deps, caller, res)
  allow(route, caller)
  if (route.method !== 'get') return write(deps, route, caller, deadline, req, res)
  return 'download' in route
    ? download(deps, route, caller, deadline, req, res)
    : read(deps, route, caller, deadline, req, res)
}

async function identifyCaller(deps: Deps, req: Request, res: Response, deadline: Deadline): Promise<Caller> {
  if (!deps.apiSwitch.isOn()) throw refuse('FEATURE_DISABLED', { retryAfterSeconds: 60 })
  const unsure = deps.databaseTime.unsure()
  if (unsure !== null) await deadline.run(() => unsure)
  return authenticate(deps, req, res, deadline)
}

function allow(route: Route, caller: Caller): void {
  const needsSecret = route.method !== 'get' || route.key === 'secret'
  if (needsSecret && caller.kind !== 'secret') throw refuse('SECRET_KEY_REQUIRED')
  const { scope } = route
  if (!scopesOf(route).some((each) => caller.scopes.has(each)))
    throw refuse('SCOPE_REQUIRED', { details: typeof scope === 'string' ? { scope } : scope })
  if (route.sandboxOnly && !caller.sandbox) throw refuse('SANDBOX_ONLY')
}

async function read(
  deps: Deps,
  route: ReadRoute,
  caller: Caller,
  deadline: Deadline,
  req: Request,
  res: Response,
): Promise<BuiltResponse | ApiResponse> {
  if (route.toCsv !== undefined) res.vary('Accept')
  const input = readInput(deps, route, req, undefined)
  const held = await hold(deps, route, caller, input, deadline, res)
  if (held === null) return readNow(deps, route, caller, input, deadline, res)
  if ('data' in held) return success(200, held.data)
  // The key may have been revoked while the request was held.
  const again = await identifyCaller(deps, req, res, deadline)
  allow(route, again)
  return readNow(deps, route, again, { ...input, query: held.query }, deadline, res)
}

async function readNow(
  deps: Deps,
  route: ReadRoute,
  caller: Caller,
  input: OperationInput,
  deadline: Deadline,
  res: Response,
): Promise<BuiltResponse> {
  if (route.isPage !== true) return respond(deps, route, caller, input, deadline, res)
  // The slot is taken before memory is reserved, because a list request that is waiting for the business's other lists
  // must not hold any memory.
  const { shares } = deps.lists
  const free = await deadline.run((deadlineAt) =>
    // A request that is past its deadline must not receive a slot, because nothing would release the slot.
    shares.take(caller.businessId, () => res.closed || performance.now() > deadlineAt),
  )
  return respond(deps, route, caller, input, deadline, res).finally(free)
}

async function respond(
  deps: Deps,
  route: ReadRoute,
  caller: Caller,
  input: OperationInput,
  deadline: Deadline,
  res: Response,
): Promise<BuiltResponse> {
  const done = await deps.readPace.take(caller.businessId)
  let size = 0
  try {
    const built = await readAndBuild(deps, route, caller, input, deadline, res)
    size = sizeOf(built.parts)
    return built
  } catch (error) {
    if (error instanceof PageTooLarge) size = maxPageBytes
    throw error
  } finally {
    done(size)
  }
}

async function readAndBuild(
  deps: Deps,
  route: ReadRoute,
  caller: Caller,
  input: OperationInput,
  deadline: Deadline,
  res: Response,
): Promise<BuiltResponse> {
  const bytes = route.isPage ? memoryOfPage(route.shows, input.query) : memoryOfOne(route.shows)
  const memory = await deps.responses.reserve(caller.businessId, bytes, res)
  const data = await inSpan(deps, 'operation', causeOf(res).traceparent, () =>
    deadline.run((deadlineAt) =>
      memory.during(() => {
        if (route.isPage !== true) return route.run(deps, caller, input, deadlineAt)
        const isGone = () => res.closed || performance.now() > deadlineAt
        return deps.lists.run(`business ${caller.businessId}`, isGone, (models) =>
          route.run({ ...deps, ...models }, caller, input, deadlineAt),
        )
      }),
    ),
  )
  const csv = route.toCsv !== undefined && prefersCsv(res.req) ? route.toCsv(data as never, input as never) : null
  const parts = await memory.during(async () => {
    if (csv !== null) return [Buffer.from(csv.text)]
    return route.isPage ? buildPage(data as Page<unknown>) : buildOne(data)
  })
  memory.set(sizeOf(parts))
  return { parts, memory, csvName: csv?.name ?? null }
}

async function download(
  deps: Deps,
  route: DownloadRoute,
  caller: Caller,
  deadline: Deadline,
  req: Request,
  res: Response,
): Promise<DownloadBegun> {
  const input = readInput(deps, route, req, undefined)
  const memory = await deps.responses.reserve(caller.businessId, memoryOfDownload, res)
  return memory.during(async () => {
    const file = await deadline.run(() => route.download(deps, caller, input))
    return beginDownload(file, deadline)
  })
}

/**
 * Throws VALIDATION_ERROR if a query parameter is unknown or invalid (step 12 in the order of checks,
 * docs/maintainers/decisions.md).
 */
const readInput = (deps: Deps, { about }: Route, req: Request, body: unknown): OperationInput => ({
  params: req.params as Record<string, string>,
  query: deps.validate(about.query ?? emptyQuery, req.query),
  body,
})

async function write(
  deps: Deps,
  route: WriteRoute,
  caller: Caller,
  deadline: Deadline,
  req: Request,
  res: Response,
): Promise<ApiResponse> {
  const key = idempotencyKey(req)
  const kind = bodyKindOf(route) ?? 'json'
  const memory = reserveBody(deps, caller, req, kind)
  return memory.use(async () => {
    const body = await readBody(deps, caller, req, res, kind, memory)
    const response = await runWrite(deps, route, caller, deadline, req, res, { key, memory, body })
    deps.responses.count(caller.businessId, response.body.length, res)
    return response
  })
}

const isDryRun = (body: unknown): boolean => (body as { dryRun?: unknown } | null)?.dryRun === true

function runWrite(
  deps: Deps,
  route: WriteRoute,
  caller: Caller,
  deadline: Deadline,
  req: Request,
  res: Response,
  { key, memory, body }: { key: string; memory: BodyMemory; body: Body },
): Promise<ApiResponse> {
  const isRead = bodyKindOf(route) !== null
  const unread = isRead && 'refusal' in body ? body.refusal : null
  const { findEffect, storesNoRow = false } = route
  return runOnce(deps, caller, deadline, {
    key,
    method: route.method,
    // The path contains the decoded parameters, so that different encodings of a path are treated as the same path.
    path: JSON.stringify([route.path, req.params]),
    params: isRead && 'params' in body ? [req.query, body.params] : [req.query],
    status: route.hasDryRun && 'value' in body && isDryRun(body.value) ? 200 : route.status,
    unread,
    isNeverLimited: route.isNeverLimited ?? route.method === 'delete',
    cause: causeOf(res),
    storesNoRow,
    findEffect: findEffect
      ? (request) => findEffect(deps, caller, req.params as Record<string, string>, request)
      : null,
    // The memory stays reserved while the operation runs, because it may run a few seconds past its deadline and still
    // need the body.
    run: (request) =>
      memory.use(async () => {
        if (unread !== null) throw unread
        const input = readInput(deps, route, req, 'value' in body ? body.value : undefined)
        return route.run(deps, caller, input, request)
      }),
  })
}

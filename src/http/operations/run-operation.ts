import type { Request, Response } from 'express'
import { csvParams } from '../../../schemas/delimiter.ts'
import { type Caller, identifyByApiKey } from '../../businesses/caller.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuse } from '../../platform/errors.ts'
import { readBody, reserveBody } from '../body/read-body.ts'
import { prefersCsv, type StartedDownload } from '../responses/download.ts'
import { type ApiResponse, successResponse } from '../responses/envelope.ts'
import type { BuiltResponse } from '../responses/send.ts'
import { startDeadline } from '../server/timeouts.ts'
import { readIdempotencyKey } from './idempotency.ts'
import { limitUnknownKeys } from './limit-rate.ts'
import type { ReadRoute, Route, WriteRoute } from './route.ts'
import * as steps from './run-route.ts'

export async function runOperation(
  deps: Deps,
  route: Route,
  req: Request,
  res: Response,
): Promise<ApiResponse | BuiltResponse | StartedDownload> {
  const deadline = startDeadline()
  const caller = await identifyCaller({ deps, res, deadline })
  const call: steps.Call = { deps, res, deadline, caller }
  await steps.admit(call, route)
  if (route.method !== 'get') return write(call, route)
  if (!('download' in route)) return read(call, route)
  return steps.beginDownload(call, route, steps.validInput(deps, route, inputOf(req)))
}

/** Performs steps 2 to 5 in docs/maintainers/decisions.md (SPEC 5). */
async function identifyCaller({ deps, res, deadline }: Omit<steps.Call, 'caller'>): Promise<Caller> {
  await steps.waitUntilOpen({ deps, deadline })
  const { req } = res
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

const inputOf = ({ params, query }: Request): steps.RouteInput => ({
  params: params as Record<string, string>,
  query,
})

async function read(call: steps.Call, route: ReadRoute): Promise<BuiltResponse | ApiResponse> {
  const { deps, res, deadline } = call
  const input = steps.validInput(deps, route, inputOf(res.req))
  const isCsv = route.toCsv !== undefined && prefersCsv(res.req)
  if (route.toCsv !== undefined) res.vary('Accept')
  if (route.toCsv !== undefined && !isCsv) refuseCsvParams(input.query)
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  // Waiting in a long-poll doesn't count towards the deadline.
  const limits = { read: deadline.run, signal: gone.signal }
  const polled = (await route.longPoll?.(deps, call.caller, input, limits)) ?? null
  if (polled === null) return steps.readResponse(call, route, input, isCsv ? 'csv' : 'json')
  if ('data' in polled) return successResponse(200, polled.data)
  const caller = await identifyCaller(call)
  steps.allow(route, caller)
  return steps.readResponse({ ...call, caller }, route, { ...input, query: polled.query }, 'json')
}

function refuseCsvParams(query: unknown): void {
  const param = csvParams.find((name) => name in (query as object))
  if (param === undefined) return
  const message = `${param} applies only to a CSV response. Send \`Accept: text/csv\`.`
  throw refuse('VALIDATION_ERROR', { param, message })
}

async function write(call: steps.Call, route: WriteRoute): Promise<ApiResponse> {
  const { deps, res, caller } = call
  const { req } = res
  const key = readIdempotencyKey(req)
  const kind = route.readsCsv ? 'csv' : 'json'
  const memory = reserveBody(deps, caller, req, kind)
  return memory.during(async () => {
    const body = await readBody(deps, caller, req, res, kind, memory)
    return steps.runWrite(call, route, { ...inputOf(req), key, body }, memory)
  })
}

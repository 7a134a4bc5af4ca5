import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Response } from 'express'
import type { Caller } from '../../businesses/caller.ts'
import { maxPageBytes, PageTooLarge } from '../../limits/capacity.ts'
import type { Page } from '../../lists/pagination.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuse } from '../../platform/errors.ts'
import { sendDownload } from '../responses/download.ts'
import { sendBuiltResponse } from '../responses/send.ts'
import { apiRoutes, type DownloadId, type ReadId, type WriteId } from '../routes/routes.ts'
import { startDeadline } from '../server/timeouts.ts'
import type { ReadRoute, Route, WriteRoute } from './route.ts'
import * as steps from './run-route.ts'

// Runs operations of the API for the caller of a page. The data is what a client
// would get: plain JSON, with times as text. Errors of the API are thrown.

const routes = new Map(apiRoutes.map((route) => [route.operationId, route]))

interface Outcome<Data> {
  status: number
  data: Data
}

/** Ignores the feed's `wait`, because a page must not hold its memory. */
export async function readFor<Data>(
  deps: Deps,
  res: Response,
  caller: Caller,
  operation: ReadId | steps.PageRead,
  { params = {}, query = {} }: Partial<steps.RouteInput> = {},
): Promise<Outcome<Data>> {
  const read = typeof operation === 'string' ? (routeOf(operation) as ReadRoute) : operation
  const call = await begin(deps, res, caller, read)
  const input = steps.validInput(deps, read, { params, query })
  const { built } = await steps.runRead(call, read, input, async (data) => {
    const page: Page<unknown> | null = read.isPage ? (data as Page<unknown>) : null
    const { items, bytes } = await toPlainItems(page?.items ?? [data])
    return { built: page === null ? items[0] : { ...page, items }, bytes }
  })
  return { status: 200, data: built as Data }
}

/** A repeated `key` repeats the first response, as an idempotency key does. */
export async function writeFor<Data>(
  deps: Deps,
  res: Response,
  caller: Caller,
  operationId: WriteId,
  { params = {}, body, key }: { params?: Record<string, string>; body?: object; key: string },
): Promise<Outcome<Data>> {
  const route = routeOf(operationId) as WriteRoute
  const call = await begin(deps, res, caller, route)
  const value = body ?? {}
  const input = { params, query: {}, key, body: { value, params: value } }
  const { status, code, body: text } = await steps.runWrite(call, route, input)
  const { data, error } = JSON.parse(text.toString())
  if (code !== null || status >= 400) throw refuse(error.code, error)
  return { status, data }
}

/** Sends an export, or the CSV form of a read. Throws before the first byte. */
export async function downloadFor(
  deps: Deps,
  res: Response,
  caller: Caller,
  operationId: DownloadId | ReadId,
  { params = {}, query = {} }: Partial<steps.RouteInput> = {},
): Promise<void> {
  const route = routeOf(operationId)
  const call = await begin(deps, res, caller, route)
  const input = steps.validInput(deps, route, { params, query })
  if ('download' in route) return sendDownload(res.req, res, await steps.beginDownload(call, route, input))
  return sendBuiltResponse(res, await steps.readResponse(call, route as ReadRoute, input, 'csv'))
}

function routeOf(operationId: string): Route {
  const route = routes.get(operationId)
  if (route === undefined) throw new Error(`no operation ${operationId}`)
  return route
}

async function begin(
  deps: Deps,
  res: Response,
  caller: Caller,
  route: Route | steps.PageRead,
): Promise<steps.Call> {
  // A page counts as one request, whatever it reads.
  const isFirst = res.locals.key !== caller
  // The log line of the page names the business too.
  res.locals.key = caller
  const call: steps.Call = { deps, res, deadline: startDeadline(), caller }
  await steps.waitUntilOpen(call)
  if (isFirst) await steps.admit(call, route)
  else steps.allow(route, caller)
  return call
}

/** Parsing this much takes about a millisecond. */
const longText = 64 * 1024

async function toPlainItems(items: readonly unknown[]) {
  const plain: unknown[] = []
  let bytes = 0
  for (const item of items) {
    const text = JSON.stringify(item)
    bytes += Buffer.byteLength(text)
    if (bytes > maxPageBytes) throw new PageTooLarge()
    plain.push(JSON.parse(text))
    if (text.length > longText) await yieldToOthers()
  }
  return { items: plain, bytes }
}

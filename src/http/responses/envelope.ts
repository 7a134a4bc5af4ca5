import { finished } from 'node:stream'
import type { Response } from 'express'
import type { Config } from '../../config/config.ts'
import type { ErrorCode, Refusal } from '../../platform/errors.ts'
import { strictTransport } from '../pages/page-headers.ts'
import { timeouts } from '../server/timeouts.ts'

/**
 * A response that has not been sent yet. It consists of the status, the error code for the log, the exact bytes of the
 * body, and additional headers.
 */
export interface ApiResponse {
  status: number
  code: ErrorCode | null
  body: Buffer
  headers: Record<string, string>
}

/** The success envelope (SPEC 1). */
export const success = (status: number, data: unknown): ApiResponse => ({
  status,
  code: null,
  body: Buffer.from(JSON.stringify({ success: true, data })),
  headers: {},
})

/** The failure envelope (SPEC 7). It contains the request id, and the error's field and details if there are any. */
export function failure({ code, message, statusCode, extras }: Refusal, requestId: string): ApiResponse {
  const { param, details, headers, retryAfterSeconds } = extras
  // JSON omits the fields that are undefined.
  const error = { code, message, statusCode, requestId, param, details }
  const retryAfter = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }
  return {
    status: statusCode,
    code,
    body: Buffer.from(JSON.stringify({ success: false, error })),
    headers: { ...headers, ...retryAfter },
  }
}

/** Sends a complete response. */
export function send(res: Response, response: ApiResponse): void {
  writeHead(res, response, response.body.length)
  endWith(res, response.body)
}

/** A response that was written before its request had arrived. `at` is a `performance.now()` value. */
export interface WrittenEarly {
  status: number
  code: ErrorCode | null
  at: number
}

/**
 * Writes the body of a response, and ends the response once the whole request has arrived, or after `lingerMs`. Node.js
 * may close the connection at the end. If data were still arriving then, the connection would be reset, and the client
 * might lose the response.
 */
export function endWith(res: Response, body: Buffer | string): void {
  if (res.req.complete) return void res.end(body)
  res.write(body)
  res.locals.written = { status: res.statusCode, code: res.locals.code ?? null, at: performance.now() }
  const end = (): void => void res.end()
  const timer = setTimeout(end, timeouts.lingerMs)
  finished(res.req.resume(), () => {
    clearTimeout(timer)
    end()
  })
}

/**
 * Writes the status and headers of a JSON response. While the process is shutting down, the connection is closed after
 * the response.
 */
export function writeHead(res: Response, head: Omit<ApiResponse, 'body'>, contentLength: number): void {
  res.statusCode = head.status
  res.locals.code = head.code
  setApiHeaders(res)
  for (const [name, value] of Object.entries(head.headers)) res.setHeader(name, value)
  if (res.app.locals.stopping.aborted) res.setHeader('Connection', 'close')
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', contentLength)
}

/** Sets the headers common to all API responses, which `createBareApp` stores in `app.locals`. */
export function setApiHeaders(res: Response): void {
  for (const [name, value] of res.app.locals.apiHeaders as HeaderList) res.setHeader(name, value)
}

type HeaderList = readonly (readonly [name: string, value: string])[]

/**
 * Returns the headers for every API response. They prevent browsers from displaying, framing or caching the response,
 * and from guessing a different media type.
 */
export function createApiHeaders(config: Pick<Config, 'production' | 'publicUrl'>): HeaderList {
  const strict = strictTransport(config)
  return [
    ['Cache-Control', 'no-store'],
    ['Content-Security-Policy', "default-src 'none';base-uri 'none';frame-ancestors 'none'"],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ['Referrer-Policy', 'no-referrer'],
    ...(strict ? [['Strict-Transport-Security', `max-age=${strict.maxAge}`] as const] : []),
    ['X-Content-Type-Options', 'nosniff'],
  ]
}

import type { Response } from 'express'
import type { ErrorCode, Refusal } from '../../errors.ts'
import type { HeaderList } from './api-headers.ts'

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
export function failure(refusal: Refusal, requestId: string): ApiResponse {
  const { code, message, statusCode, extras } = refusal
  const error = {
    code,
    message,
    statusCode,
    requestId,
    ...(extras.param === undefined ? {} : { param: extras.param }),
    ...(extras.details === undefined ? {} : { details: extras.details }),
  }
  const retryAfter = extras.retryAfterSeconds
  return {
    status: statusCode,
    code,
    body: Buffer.from(JSON.stringify({ success: false, error })),
    headers: {
      ...extras.headers,
      ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
    },
  }
}

/** Sends a complete response. */
export function send(res: Response, response: ApiResponse): void {
  writeHead(res, response, response.body.length)
  res.end(response.body)
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
  if (res.app.locals.isStopping()) res.setHeader('Connection', 'close')
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', contentLength)
}

/** Sets the headers common to all API responses, which `createBareApp` stores in `app.locals`. */
export function setApiHeaders(res: Response): void {
  for (const [name, value] of res.app.locals.apiHeaders as HeaderList) res.setHeader(name, value)
}

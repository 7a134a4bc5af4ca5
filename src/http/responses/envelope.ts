import { finished } from 'node:stream'
import type { Response } from 'express'
import type { Config } from '../../config/config.ts'
import type { ErrorCode, Refusal } from '../../platform/errors.ts'
import { httpTimeouts } from '../server/timeouts.ts'

export interface ApiResponse {
  status: number
  code: ErrorCode | null
  body: Buffer
  headers: Record<string, string>
}

export const successResponse = (status: number, data: unknown): ApiResponse => ({
  status,
  code: null,
  body: Buffer.from(JSON.stringify({ success: true, data })),
  headers: {},
})

export function failureResponse(
  { code, message, statusCode, extras }: Refusal,
  requestId: string,
): ApiResponse {
  const { param, details, headers, retryAfterSeconds } = extras
  const error = { code, message, statusCode, requestId, param, details }
  const retryAfter = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }
  return {
    status: statusCode,
    code,
    body: Buffer.from(JSON.stringify({ success: false, error })),
    headers: { ...headers, ...retryAfter },
  }
}

export function sendResponse(res: Response, response: ApiResponse): void {
  writeApiHeaders(res, response, response.body.length)
  endAfterRequest(res, response.body)
}

/** A response sent before the whole request had arrived. */
export interface EarlyResponse {
  status: number
  code: ErrorCode | null
  at: number
}

/** Closing before the whole request has arrived could lose the response. */
export function endAfterRequest(res: Response, body: Buffer | string): void {
  if (res.req.complete) return void res.end(body)
  res.write(body)
  res.locals.written = { status: res.statusCode, code: res.locals.code ?? null, at: performance.now() }
  const end = (): void => void res.end()
  const timer = setTimeout(end, httpTimeouts.lingerMs)
  finished(res.req.resume(), () => {
    clearTimeout(timer)
    end()
  })
}

export function writeApiHeaders(
  res: Response,
  head: Omit<ApiResponse, 'body'>,
  contentLength?: number,
): void {
  res.statusCode = head.status
  res.locals.code = head.code
  setApiHeaders(res)
  for (const [name, value] of Object.entries(head.headers)) res.setHeader(name, value)
  if (res.app.locals.stopping.aborted) res.setHeader('Connection', 'close')
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  if (contentLength !== undefined) res.setHeader('Content-Length', contentLength)
}

export function setApiHeaders(res: Response): void {
  res.setHeaders(res.app.locals.apiHeaders as Map<string, string>)
}

/** Subdomains may belong to other services, so HSTS excludes them. */
export const hstsOptions = ({ production, publicUrl }: Pick<Config, 'production' | 'publicUrl'>) =>
  production && publicUrl.startsWith('https:') ? { maxAge: 31_536_000, includeSubDomains: false } : false

export function createApiHeaders(config: Pick<Config, 'production' | 'publicUrl'>): Map<string, string> {
  const strict = hstsOptions(config)
  return new Map([
    ['Cache-Control', 'no-store'],
    ['Content-Security-Policy', "default-src 'none';base-uri 'none';frame-ancestors 'none'"],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ['Referrer-Policy', 'no-referrer'],
    ...(strict ? [['Strict-Transport-Security', `max-age=${strict.maxAge}`] as const] : []),
    ['X-Content-Type-Options', 'nosniff'],
  ])
}

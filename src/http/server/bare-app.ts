import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4 } from 'node:net'
import { type ParsedUrlQuery, parse } from 'node:querystring'
import express, { type Express, type Request, type RequestHandler, type Response, Router } from 'express'
import ipaddr from 'ipaddr.js'
import { isDatabaseFault } from '../../mongo/connect.ts'
import type { Deps } from '../../platform/deps.ts'
import { Refusal, refuse, unavailable } from '../../platform/errors.ts'
import { throttleLog } from '../../platform/log.ts'
import { toBodyRefusal } from '../body/read-body.ts'
import { type ApiResponse, createApiHeaders, failureResponse, sendResponse } from '../responses/envelope.ts'
import { logRequest } from './log-request.ts'

/** With over a thousand header fields, Node.js hides Content-Length. */
export const maxHeaderFields = 100

export function createBareApp(
  deps: Pick<Deps, 'config' | 'log' | 'metrics' | 'stopping' | 'tracing'>,
  fill: (app: Express) => void,
): Express {
  const app = express()
  app.set('trust proxy', deps.config.trustProxy)
  app.set('case sensitive routing', true)
  app.set('strict routing', true)
  app.set('query parser', parseQuery)
  app.disable('x-powered-by')
  app.disable('etag')
  const isTrusted: IsTrustedProxy = app.get('trust proxy fn')
  const warnUnreported = throttleLog(60_000, (fields) => deps.log.warn(fields, 'client.unreported'))
  app.locals.stopping = deps.stopping.signal
  app.locals.apiHeaders = createApiHeaders(deps.config)
  app.use((req, res, next) => {
    // If `refusal` is set, the app only renders that error.
    const { requestId, refusal } = res.locals
    res.locals.requestId = requestId ?? randomUUID()
    res.setHeader('X-Request-Id', res.locals.requestId)
    if (requestId === undefined) {
      const ip = clientAddress(req, isTrusted) ?? undefined
      if (ip === undefined && refusal === undefined)
        warnUnreported({ proxy: readAddress(req.socket.remoteAddress) })
      Object.defineProperty(req, 'ip', { value: ip })
      logRequest(deps, req, res)
    }
    if (refusal !== undefined) throw refusal
    if (req.rawHeaders.length > maxHeaderFields * 2) throw refuse('HEADERS_TOO_LARGE')
    refuseMalformed(req)
    next()
  })
  fill(app)
  const reportError = createErrorReporter(deps)
  // Express recognises an error handler by its four parameters.
  app.use((error: unknown, req: Request, res: Response, _next: unknown) => {
    const response = reportError(error, res)
    // A truncated response must not look complete.
    if (res.headersSent) req.socket.destroy()
    else sendResponse(res, response)
  })
  return app
}

export function createReadRoute(path: string, handle: RequestHandler): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.get(path, (req, res, next) => {
    res.locals.route = `GET ${path}`
    return handle(req, res, next)
  })
  router.all(path, () => {
    throw refuse('ENDPOINT_NOT_FOUND', { headers: { Allow: 'GET, HEAD' } })
  })
  return router
}

export const refuseUnknownUrl = (): never => {
  throw refuse('ENDPOINT_NOT_FOUND')
}

/** By default, Node.js ignores parameters after the 1,000th. */
const parseQuery = (query: string): ParsedUrlQuery => parse(query, '&', '=', { maxKeys: 0 })

/** Refuses requests that RFC 9112 forbids but Node.js accepts. */
function refuseMalformed(req: Request): void {
  if (req.httpVersionMajor !== 1)
    throw unsound('HTTP version', 'The service supports only HTTP/1.1 and HTTP/1.0.')
  const hosts = req.headersDistinct.host?.length ?? 0
  if (hosts > 1 || (hosts === 0 && req.httpVersion === '1.1'))
    throw unsound('Host', 'Send the Host header exactly once.')
  if (!hostForm.test(req.headers.host ?? ''))
    throw unsound('Host', 'The Host header must contain a host name or an IP address.')
  if (!/^100-continue$/i.test(req.headers.expect ?? '100-continue'))
    throw unsound(
      'Expect',
      'The service does not support this Expect header. Send 100-continue, or no Expect header.',
    )
  const coding = req.headers['transfer-encoding']
  // An HTTP/1.0 proxy ignores Transfer-Encoding and misjudges the body's end.
  if (coding !== undefined && req.httpVersion === '1.0')
    throw unsound('Transfer-Encoding', 'HTTP/1.0 has no Transfer-Encoding.')
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw unsound('Transfer-Encoding', 'The service supports only the chunked transfer coding.')
}

/** RFC 3986, sections 3.2.2 and 3.2.3 */
const hostForm = /^[\w.~%!$&'()*+,;=:[\]-]*$/

const unsound = (param: string, message: string) =>
  refuse('VALIDATION_ERROR', { param, message, headers: { Connection: 'close' } })

/** The connection's peer is hop 0. */
export type IsTrustedProxy = (address: string, hop: number) => boolean

/**
 * Clients can forge any address to the left of a trusted proxy's.
 * Null if a trusted proxy reports no valid address.
 */
function clientAddress({ headers, socket }: IncomingMessage, isTrusted: IsTrustedProxy): string | null {
  const reported = headers['x-forwarded-for']
  const left = reported === undefined ? [] : String(reported).split(',')
  let address = readAddress(socket.remoteAddress)
  for (let hop = 0; left.length > 0 && isTrusted(address ?? '', hop); hop += 1)
    address = readAddress(left.pop())
  return address
}

/** Proxies may write an address in quotes or brackets, or with a port. */
function readAddress(written = ''): string | null {
  // Most addresses are plain IPv4, so they skip the parser.
  const plain = written.replace(/^\s*(?:::ffff:)?/, '')
  if (isIPv4(plain)) return plain
  const text = written.trim().replace(/^"(.*)"$/, '$1')
  const [, inBrackets, bare = ''] = /^(?:\[([^\]]*)\](?::\w*)?|(.*))$/.exec(text) ?? []
  const whole = withoutZone(inBrackets ?? bare)
  const address =
    isIP(whole) === 0 && inBrackets === undefined ? withoutZone(bare.replace(/:\w*$/, '')) : whole
  return isIP(address) === 0 ? null : ipaddr.process(address).toString()
}

const withoutZone = (address: string): string => address.replace(/%.*$/, '')

/** Logs a bug in full, but the response reveals no details. */
export function createErrorReporter(
  deps: Pick<Deps, 'log' | 'metrics'>,
): (error: unknown, res: Response) => ApiResponse {
  const warn = throttleLog(5000, (fields) => deps.log.warn(fields, 'mongodb.failed'))
  return (error, res) => {
    const refusal = asRefusal(error)
    const { code, extras } = refusal
    const requestId = String(res.locals.requestId)
    if (isDatabaseFault(error)) warn({ err: error, requestId })
    if (code === 'INTERNAL_ERROR') deps.log.error({ err: error, requestId }, 'request.failed')
    if (code === 'RATE_LIMITED')
      deps.metrics.rateLimited.inc({ scope: (extras.details as { scope: string }).scope })
    return failureResponse(refusal, requestId)
  }
}

export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  // The write may have taken effect. The client finds out by retrying it.
  if (isDatabaseFault(error)) return unavailable()
  // URIError means that the path can't be decoded.
  if (error instanceof URIError || (error as { status?: number }).status === 400)
    return refuse('VALIDATION_ERROR', { param: 'path', message: 'The path is not valid.' })
  return toBodyRefusal(error, null) ?? refuse('INTERNAL_ERROR')
}

import { randomUUID } from 'node:crypto'
import { type ParsedUrlQuery, parse } from 'node:querystring'
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { throttled } from '../../process/log.ts'
import { createApiHeaders, send } from '../responses/envelope.ts'
import { clientAddress, type IsTrusted, readAddress } from './client-address.ts'
import { logRequest } from './log-request.ts'
import { refuseMalformed } from './refuse-malformed.ts'
import { createErrorReporter } from './report-error.ts'

/**
 * The maximum number of headers in a request. If there are more than about a thousand, Node.js hides Content-Length but
 * still delivers the body.
 */
export const maxHeaders = 100

/**
 * Creates the Express app for an HTTP port. The app runs the initial checks on each request and handles errors. `fill`
 * adds the routes to the app.
 */
export function createBareApp(deps: Deps, fill: (app: Express) => void): Express {
  const app = express()
  app.set('trust proxy', deps.config.trustProxy)
  app.set('case sensitive routing', true)
  app.set('strict routing', true)
  app.set('query parser', parseQuery)
  app.disable('x-powered-by')
  app.disable('etag')
  const isTrusted: IsTrusted = app.get('trust proxy fn')
  const warnUnreported = throttled(60_000, (fields) => deps.log.warn(fields, 'client.unreported'))
  app.locals.stopping = deps.stopping.signal
  app.locals.apiHeaders = createApiHeaders(deps.config)
  app.use((req: Request, res: Response, next: NextFunction) => {
    // connection.ts and listen.ts run the app with a `refusal` only to render it.
    const { requestId, refusal } = res.locals
    res.locals.requestId = requestId ?? randomUUID()
    res.setHeader('X-Request-Id', res.locals.requestId)
    if (requestId === undefined) {
      const ip = clientAddress(req, isTrusted) ?? undefined
      if (ip === undefined && refusal === undefined) warnUnreported({ proxy: readAddress(req.socket.remoteAddress) })
      Object.defineProperty(req, 'ip', { value: ip })
      logRequest(deps, req, res)
    }
    if (refusal !== undefined) throw refusal
    if (req.rawHeaders.length > maxHeaders * 2) throw refuse('HEADERS_TOO_LARGE')
    refuseMalformed(req)
    next()
  })
  fill(app)
  const reportError = createErrorReporter(deps)
  // Express recognises an error handler by its four parameters, so `_next` must be declared.
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    const response = reportError(error, res)
    // If part of the response has been sent, destroy the connection so that the response does not look complete.
    if (res.headersSent) req.socket.destroy()
    else send(res, response)
  })
  return app
}

/** Creates the router for a fixed path outside the API that supports only GET and HEAD. */
export function readOnly(path: string, handle: RequestHandler): Router {
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

/** Rejects a request that matches no route. This must be the last handler. */
export const refuseUnknown = (): never => {
  throw refuse('ENDPOINT_NOT_FOUND')
}

/**
 * Parses all query parameters. By default, Node.js ignores parameters after the 1 000th. No such limit is needed,
 * because the maximum URL length already limits the number of parameters.
 */
const parseQuery = (query: string): ParsedUrlQuery => parse(query, '&', '=', { maxKeys: 0 })

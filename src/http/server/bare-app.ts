import { randomUUID } from 'node:crypto'
import { type ParsedUrlQuery, parse } from 'node:querystring'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { createApiHeaders } from '../responses/api-headers.ts'
import { send } from '../responses/envelope.ts'
import { clientAddress } from './client-address.ts'
import { logRequest } from './log-request.ts'
import { refuseMalformed } from './refuse-malformed.ts'
import { createErrorReporter } from './report-error.ts'

/** More headers than this are refused: from some thousand on Node hides Content-Length but delivers the body. */
export const maxHeaders = 100

/** How every request begins and every failure ends, on whichever port. `fill` puts in between what is served there. */
export function createBareApp(deps: Deps, isStopping: () => boolean, fill: (app: Express) => void): Express {
  const app = express()
  app.set('trust proxy', deps.config.trustProxy)
  app.set('case sensitive routing', true)
  app.set('strict routing', true)
  app.set('query parser', parseQuery)
  app.disable('x-powered-by')
  app.disable('etag')
  app.locals.isStopping = isStopping
  app.locals.apiHeaders = createApiHeaders(deps.config)
  app.use((req: Request, res: Response, next: NextFunction) => {
    Object.defineProperty(req, 'ip', { value: clientAddress(req.ip) ?? undefined })
    res.locals.requestId = randomUUID()
    res.setHeader('X-Request-Id', res.locals.requestId)
    logRequest(deps, req, res)
    if (req.rawHeaders.length > maxHeaders * 2) throw refuse('HEADERS_TOO_LARGE')
    refuseMalformed(req)
    next()
  })
  fill(app)
  const answerFor = createErrorReporter(deps)
  // Express tells an error handler by its four parameters.
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    const answer = answerFor(error, res)
    // Half of an answer is out already: cut, nobody takes it for a whole one.
    if (res.headersSent) req.socket.destroy()
    else send(res, answer)
  })
  return app
}

/** Where nothing else was there to answer. */
export const refuseUnknown = (): never => {
  throw refuse('ENDPOINT_NOT_FOUND')
}

/** All parameters: by itself Node passes over those after the 1 000th, and the length of a URL is limit enough. */
const parseQuery = (query: string): ParsedUrlQuery => parse(query, '&', '=', { maxKeys: 0 })

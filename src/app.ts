import { randomUUID } from 'node:crypto'
import { type ParsedUrlQuery, parse } from 'node:querystring'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import { sendStaffError } from './admin/pages/errors.ts'
import { adminPages } from './admin/pages/router.ts'
import { sendCheckoutError } from './checkout/errors.ts'
import { checkoutPages, isHosted } from './checkout/router.ts'
import type { Deps } from './deps.ts'
import { refuse } from './errors.ts'
import { send } from './http/answer.ts'
import { createApiHeaders } from './http/api-headers.ts'
import { answerPreflight, isForBrowsers, letBrowsersRead } from './http/cross-origin.ts'
import { longestIdleMs, sendDownload } from './http/download.ts'
import { health } from './http/health.ts'
import { logRequest } from './http/log-request.ts'
import { serveDescription } from './http/openapi/serve.ts'
import { createPageErrors } from './http/page-errors.ts'
import { refuseUnsound } from './http/refuse-unsound.ts'
import { createErrorReporter } from './http/report-error.ts'
import { routes } from './http/routes.ts'
import { runOperation } from './http/run-operation.ts'
import { referencePages } from './reference/router.ts'

/** Where the API begins (SPEC 9). */
export const apiBase = '/api/v1'

/** More headers than this are refused: from some thousand on Node hides Content-Length but delivers the body. */
const mostHeaders = 100

/** The journey of a request, top to bottom. What happens to an API operation on its way is in http/run-operation.ts. */
export function createApp(deps: Deps, isStopping: () => boolean): Express {
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
    res.locals.requestId = randomUUID()
    res.setHeader('X-Request-Id', res.locals.requestId)
    logRequest(deps, req, res)
    if (req.rawHeaders.length > mostHeaders * 2) throw refuse('HEADERS_TOO_LARGE')
    refuseUnsound(req)
    next()
  })

  app.use(health(deps, isStopping))
  app.use('/admin', adminPages(deps))
  app.use(checkoutPages(deps))
  app.use(referencePages(deps))

  for (const route of routes)
    app[route.method](apiBase + route.path, async (req: Request, res: Response) => {
      res.locals.route = `${route.method.toUpperCase()} ${route.path}`
      if (isForBrowsers(route)) letBrowsersRead(res)
      const answer = await runOperation(deps, route, req, res)
      if ('pieces' in answer) await sendDownload(req, res, answer, longestIdleMs)
      else send(res, answer)
    })

  for (const route of routes.filter(isForBrowsers)) app.options(apiBase + route.path, answerPreflight)

  app.use(apiBase, serveDescription(deps))

  for (const path of new Set(routes.map((route) => route.path)))
    app.all(apiBase + path, () => {
      throw refuse('ENDPOINT_NOT_FOUND', { headers: { Allow: methodsOf(path) } })
    })

  app.use(() => {
    throw refuse('ENDPOINT_NOT_FOUND')
  })

  app.use('/admin', createPageErrors(deps, sendStaffError))
  const answerCustomer = createPageErrors(deps, sendCheckoutError)
  app.use((error: unknown, req: Request, res: Response, next: NextFunction) => {
    if (isHosted(req)) answerCustomer(error, req, res, next)
    else next(error)
  })
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

/** All parameters: by itself Node passes over those after the 1 000th, and the length of a URL is limit enough. */
const parseQuery = (query: string): ParsedUrlQuery => parse(query, '&', '=', { maxKeys: 0 })

const methodsOf = (path: string): string =>
  routes
    .filter((route) => route.path === path)
    .flatMap((route) => (route.method === 'get' ? ['GET', 'HEAD'] : [route.method.toUpperCase()]))
    .join(', ')

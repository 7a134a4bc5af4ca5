import type { Express, NextFunction, Request, Response } from 'express'
import { sendStaffError } from './admin/pages/errors.ts'
import { adminPages, staffPageRights } from './admin/pages/router.ts'
import { sendCheckoutError } from './checkout/errors.ts'
import { checkoutPageRights, checkoutPages, isHosted } from './checkout/router.ts'
import type { Deps } from './deps.ts'
import { refuse } from './errors.ts'
import { serveDescription } from './http/openapi/serve.ts'
import { runOperation } from './http/operations/run-operation.ts'
import { isForBrowsers, letBrowsersRead, respondToPreflight } from './http/pages/cross-origin.ts'
import { limitVisitors } from './http/pages/limit-visitors.ts'
import { createPageErrors } from './http/pages/page-errors.ts'
import { sendDownload } from './http/responses/download.ts'
import { send } from './http/responses/envelope.ts'
import { sendBuilt } from './http/responses/send.ts'
import { routes } from './http/routes/routes.ts'
import { createBareApp, refuseUnknown } from './http/server/bare-app.ts'
import { health } from './http/server/health.ts'
import { referencePages } from './reference/router.ts'

/** Where the API begins (SPEC 9). */
export const apiBase = '/api/v1'

/** The journey of a request, top to bottom, as http/server/bare-app.ts begins it. What happens to an API operation on its way is in http/operations/run-operation.ts. */
export const createApp = (deps: Deps, isStopping: () => boolean): Express =>
  createBareApp(deps, isStopping, (app) => {
    // What is asked most stands first: each layer before it costs every request.
    serveOperations(deps, app)
    app.use(limitVisitors(deps, (req) => (isHosted(req) ? 'polls' : 'address')))
    app.use(refuseOptions)
    app.use(health(deps, isStopping))
    app.use('/admin', adminPages(deps))
    app.use(checkoutPages(deps))
    app.use(referencePages(deps))
    app.use(apiBase, serveDescription(deps))
    app.use(refuseUnknown)

    app.use('/admin', createPageErrors(deps, staffPageRights, sendStaffError))
    const answerCustomer = createPageErrors(deps, checkoutPageRights, sendCheckoutError)
    app.use((error: unknown, req: Request, res: Response, next: NextFunction) => {
      if (isHosted(req)) answerCustomer(error, req, res, next)
      else next(error)
    })
  })

function serveOperations(deps: Deps, app: Express): void {
  for (const route of routes)
    app[route.method](apiBase + route.path, async (req: Request, res: Response) => {
      res.locals.route = `${route.method.toUpperCase()} ${route.path}`
      if (isForBrowsers(route)) letBrowsersRead(res)
      const answer = await runOperation(deps, route, req, res)
      if ('pieces' in answer) await sendDownload(req, res, answer)
      else if ('parts' in answer) await sendBuilt(res, answer)
      else send(res, answer)
    })
  const limit = limitVisitors(deps, () => 'address')
  for (const route of routes.filter(isForBrowsers))
    app.options(apiBase + route.path, limit, respondToPreflight)
  for (const path of new Set(routes.map((route) => route.path)))
    app.all(apiBase + path, limit, () => {
      throw refuse('ENDPOINT_NOT_FOUND', { headers: { Allow: methodsOf(path) } })
    })
}

/** What is no preflight: Express would answer it by itself, in neither the envelope nor a page, and tell a page to who may not open it. */
function refuseOptions(req: Request, _res: Response, next: NextFunction): void {
  if (req.method === 'OPTIONS') refuseUnknown()
  next()
}

const methodsOf = (path: string): string =>
  routes
    .filter((route) => route.path === path)
    .flatMap((route) => (route.method === 'get' ? ['GET', 'HEAD'] : [route.method.toUpperCase()]))
    .join(', ')

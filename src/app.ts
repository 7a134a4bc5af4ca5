import type { Express, NextFunction, Request, Response, Router } from 'express'
import { sendCheckoutError } from './checkout/layout.ts'
import { checkoutPageRights, checkoutPages, isHosted } from './checkout/router.ts'
import { describeApi } from './http/openapi/describe.ts'
import { isForBrowsers } from './http/operations/route.ts'
import { runOperation } from './http/operations/run-operation.ts'
import { letBrowsersRead, respondToPreflight } from './http/pages/cross-origin.ts'
import { limitVisitors } from './http/pages/limit-visitors.ts'
import { createPageErrors } from './http/pages/prepare-page.ts'
import { sendDownload } from './http/responses/download.ts'
import { sendResponse, writeHead } from './http/responses/envelope.ts'
import { sendBuilt } from './http/responses/send.ts'
import { routes } from './http/routes/routes.ts'
import { createBareApp, readOnlyRoute, refuseUnknown } from './http/server/bare-app.ts'
import { useProbes } from './http/server/probes.ts'
import type { Deps } from './platform/deps.ts'
import { refuse } from './platform/errors.ts'
import { referencePages } from './reference/router.ts'
import { adminPages, sendStaffError, staffPageRights } from './staff-pages/router.ts'

export const apiBase = '/api/v1'

/** Handlers run in this order, after the first checks in http/server/bare-app.ts. */
export const createApp = (deps: Deps): Express =>
  createBareApp(deps, (app) => {
    // Operations come first because they're most of the traffic.
    serveOperations(deps, app)
    app.use(limitVisitors(deps, (req) => (isHosted(req) ? 'polls' : 'address')))
    app.use(refuseOptions)
    useProbes(deps, app)
    app.use('/admin', adminPages(deps))
    app.use(checkoutPages(deps))
    app.use(referencePages(deps))
    app.use(apiBase, serveDescription(deps))
    app.use(refuseUnknown)

    app.use('/admin', createPageErrors(deps, staffPageRights, sendStaffError))
    const reportToCustomer = createPageErrors(deps, checkoutPageRights, sendCheckoutError)
    app.use((error: unknown, req: Request, res: Response, next: NextFunction) => {
      if (isHosted(req)) reportToCustomer(error, req, res, next)
      else next(error)
    })
  })

function serveOperations(deps: Deps, app: Express): void {
  for (const route of routes)
    app[route.method](apiBase + route.path, async (req: Request, res: Response) => {
      res.locals.route = `${route.method.toUpperCase()} ${route.path}`
      if (isForBrowsers(route)) letBrowsersRead(res)
      const response = await runOperation(deps, route, req, res)
      if ('pieces' in response) await sendDownload(req, res, response)
      else if ('parts' in response) await sendBuilt(res, response)
      else sendResponse(res, response)
    })
  const limit = limitVisitors(deps, () => 'address')
  for (const route of routes.filter(isForBrowsers))
    app.options(apiBase + route.path, limit, respondToPreflight)
  for (const [path, some] of Map.groupBy(routes, (route) => route.path)) {
    const methods = some.map(({ method }) => (method === 'get' ? 'GET, HEAD' : method.toUpperCase()))
    app.route(apiBase + path).all(limit, () => {
      throw refuse('ENDPOINT_NOT_FOUND', { headers: { Allow: methods.join(', ') } })
    })
  }
}

/** `/openapi.json` needs no API key, and pages on any site may load it. */
function serveDescription({ config }: Pick<Deps, 'config'>): Router {
  let built: Buffer | undefined
  return readOnlyRoute('/openapi.json', (_req, res) => {
    built ??= Buffer.from(JSON.stringify(describeApi(config)))
    letBrowsersRead(res)
    // After a release, clients may use the previous document for up to 300 s.
    const headers = { 'Cache-Control': 'public, max-age=300' }
    writeHead(res, { status: 200, code: null, headers }, built.length)
    res.end(built)
  })
}

/** Without this, Express would respond to OPTIONS without the envelope, revealing that staff pages exist. */
function refuseOptions(req: Request, _res: Response, next: NextFunction): void {
  if (req.method === 'OPTIONS') refuseUnknown()
  next()
}

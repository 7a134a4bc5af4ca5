import type { Express, NextFunction, Request, Response, Router } from 'express'
import { sendCheckoutError } from './checkout/layout.ts'
import { checkoutPageRights, createCheckoutPages, isCheckoutPath } from './checkout/router.ts'
import { describeApi } from './http/openapi/describe.ts'
import { deprecationHeaders, isBrowserRoute } from './http/operations/route.ts'
import { runOperation } from './http/operations/run-operation.ts'
import { allowAnyOrigin, respondToPreflight } from './http/pages/cross-origin.ts'
import { limitVisitors } from './http/pages/limit-visitors.ts'
import { handlePageErrors } from './http/pages/prepare-page.ts'
import { sendDownload } from './http/responses/download.ts'
import { sendResponse, setApiHeaders, writeApiHeaders } from './http/responses/envelope.ts'
import { sendBuiltResponse } from './http/responses/send.ts'
import { apiRoutes } from './http/routes/routes.ts'
import { createBareApp, createReadRoute, refuseUnknownUrl } from './http/server/bare-app.ts'
import { mountProbes } from './http/server/probes.ts'
import { sendPersonError } from './people-pages/frame.ts'
import { createPersonPages, isPersonPath, personPageRights } from './people-pages/router.ts'
import type { Deps } from './platform/deps.ts'
import { refuse } from './platform/errors.ts'
import { startOfUtcDay, toIsoSecond, utcDayNumber } from './platform/time.ts'
import { portal } from './portal/portal.ts'
import { referenceRouter } from './reference/router.ts'
import { createAdminRouter, sendStaffError, staffPageRights } from './staff-pages/router.ts'
import { till } from './till/till.ts'

export const apiBasePath = '/api/v1'

export const createApp = (deps: Deps): Express =>
  createBareApp(deps, (app) => {
    serveOperations(deps, app)
    app.use(limitVisitors(deps, (req) => (isCheckoutPath(req) ? 'polls' : 'address')))
    app.use(refuseOptions)
    mountProbes(deps, app)
    app.use('/admin', createAdminRouter(deps))
    app.use(createPersonPages(deps, [till, portal]))
    app.use(createCheckoutPages(deps))
    app.use(referenceRouter(deps))
    if (deps.config.securityContacts.length > 0) app.use(serveSecurityContacts(deps))
    app.use(apiBasePath, serveDescription(deps))
    app.use(refuseUnknownUrl)

    app.use('/admin', handlePageErrors(deps, staffPageRights, sendStaffError))
    const reportToPerson = handlePageErrors(deps, personPageRights, sendPersonError)
    const reportToCustomer = handlePageErrors(deps, checkoutPageRights, sendCheckoutError)
    app.use((error: unknown, req: Request, res: Response, next: NextFunction) => {
      if (isPersonPath(req)) reportToPerson(error, req, res, next)
      else if (isCheckoutPath(req)) reportToCustomer(error, req, res, next)
      else next(error)
    })
  })

function serveOperations(deps: Deps, app: Express): void {
  const { publicUrl } = deps.config
  for (const route of apiRoutes)
    app[route.method](apiBasePath + route.path, async (req: Request, res: Response) => {
      res.locals.route = `${route.method.toUpperCase()} ${route.path}`
      if (isBrowserRoute(route)) allowAnyOrigin(res)
      const { deprecated } = route
      if (deprecated) res.setHeaders(new Map(Object.entries(deprecationHeaders(deprecated, publicUrl))))
      const response = await runOperation(deps, route, req, res)
      if ('pieces' in response) await sendDownload(req, res, response)
      else if ('parts' in response) await sendBuiltResponse(res, response)
      else sendResponse(res, response)
    })
  const limit = limitVisitors(deps, () => 'address')
  for (const route of apiRoutes.filter(isBrowserRoute))
    app.options(apiBasePath + route.path, limit, respondToPreflight)
  for (const [path, some] of Map.groupBy(apiRoutes, (route) => route.path)) {
    const methods = some.map(({ method }) => (method === 'get' ? 'GET, HEAD' : method.toUpperCase()))
    app.route(apiBasePath + path).all(limit, () => {
      throw refuse('ENDPOINT_NOT_FOUND', { headers: { Allow: methods.join(', ') } })
    })
  }
}

/** The document needs no API key, and pages on any site may load it. */
function serveDescription({ config }: Pick<Deps, 'config'>): Router {
  let built: Buffer | undefined
  return createReadRoute('/openapi.json', (_req, res) => {
    built ??= Buffer.from(JSON.stringify(describeApi(config)))
    allowAnyOrigin(res)
    const headers = { 'Cache-Control': 'public, max-age=300' }
    writeApiHeaders(res, { status: 200, code: null, headers }, built.length)
    res.end(built)
  })
}

const securityTxtPath = '/.well-known/security.txt'
/** RFC 9116 asks for less than a year. */
const securityTxtDays = 180

function serveSecurityContacts({ config, now }: Pick<Deps, 'config' | 'now'>): Router {
  return createReadRoute(securityTxtPath, (_req, res) => {
    const expiresAt = startOfUtcDay(utcDayNumber(now()) + securityTxtDays)
    const lines = [
      ...config.securityContacts.map((contact) => `Contact: ${contact}`),
      `Expires: ${toIsoSecond(expiresAt)}`,
      'Preferred-Languages: fr, ar, en',
      `Canonical: ${config.publicUrl}${securityTxtPath}`,
    ]
    setApiHeaders(res)
    res.setHeader('Cache-Control', 'public, max-age=300')
    res.type('text/plain').send(`${lines.join('\n')}\n`)
  })
}

/** By default, Express's response to OPTIONS would reveal the staff pages. */
function refuseOptions(req: Request, _res: Response, next: NextFunction): void {
  if (req.method === 'OPTIONS') refuseUnknownUrl()
  next()
}

import type { NextFunction, Request, Response } from 'express'
import helmet from 'helmet'
import type { Deps } from '../../platform/deps.ts'
import { hstsOptions } from '../responses/envelope.ts'
import { createErrorReporter } from '../server/bare-app.ts'
import { type Deadline, startDeadline } from '../server/timeouts.ts'

export interface PagePermissions {
  scripts: boolean
  images: boolean
  /** With `no-referrer`, browsers send `Origin: null` from our own forms. */
  referrer: 'strict-origin' | 'no-referrer'
}

function createPageHeaders(deps: Pick<Deps, 'config'>, rights: PagePermissions) {
  const protect = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        ...(rights.scripts ? { scriptSrc: ["'self'"], connectSrc: ["'self'"] } : {}),
        imgSrc: [...(rights.images ? ["'self'"] : []), 'data:'],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
    },
    referrerPolicy: { policy: rights.referrer },
    strictTransportSecurity: hstsOptions(deps.config),
    frameguard: { action: 'deny' },
  })
  return (req: Request, res: Response): void => {
    // Helmet is synchronous, so it needs no real `next`.
    protect(req, res, () => undefined)
    res.setHeader('Cache-Control', 'no-store')
    res.setHeader('X-Robots-Tag', 'noindex, nofollow')
  }
}

/** Logs the route's pattern, so no ids end up in the log. */
export function preparePage(deps: Pick<Deps, 'config'>, rights: PagePermissions, mount = '') {
  const setPageHeaders = createPageHeaders(deps, rights)
  return (req: Request, res: Response, next: NextFunction): void => {
    if (req.app.locals.stopping.aborted) res.setHeader('Connection', 'close')
    if (req.headers.expect !== undefined) res.writeContinue()
    res.locals.deadline = startDeadline()
    // Express would parse the query on each access.
    Object.defineProperty(req, 'query', { value: req.query })
    setPageHeaders(req, res)
    res.once('finish', () => {
      const { route } = req as { route?: { path: unknown } }
      if (route !== undefined)
        res.locals.route = `${req.method} ${mount}${res.locals.mount ?? ''}${String(route.path)}`
    })
    next()
  }
}

export const setMountPath = (mount: string) => (_req: Request, res: Response, next: NextFunction) => {
  res.locals.mount = mount
  next()
}

export const pageDeadline = (res: Response): Deadline => res.locals.deadline as Deadline

export async function enforceDeadline(_req: Request, res: Response, next: NextFunction): Promise<void> {
  const closed = new Promise<void>((resolve) => res.once('close', resolve))
  next()
  await pageDeadline(res).run(() => closed)
}

export const waitForMongoClock =
  (deps: Pick<Deps, 'databaseTime'>) =>
  async (_req: Request, res: Response, next: NextFunction): Promise<void> => {
    const unsure = deps.databaseTime.unsure()
    if (unsure !== null) await pageDeadline(res).run(() => unsure)
    next()
  }

export type SendErrorPage = (req: Request, res: Response, status: number, error: unknown) => void

export function handlePageErrors(
  deps: Pick<Deps, 'config' | 'log' | 'metrics'>,
  rights: PagePermissions,
  sendError: SendErrorPage,
) {
  const reportError = createErrorReporter(deps)
  const setPageHeaders = createPageHeaders(deps, rights)
  // Express recognises an error handler by its four parameters.
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void => {
    const { status, code, headers } = reportError(error, res)
    if (res.headersSent) return void (res.writableEnded || req.socket.destroy())
    res.locals.code = code
    // The error may have occurred before the router set these headers.
    setPageHeaders(req, res)
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    // On an open connection, the rest of the body would look like a request.
    if (!req.complete) res.setHeader('Connection', 'close')
    sendError(req, res, status, error)
  }
}

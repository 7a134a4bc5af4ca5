import type { NextFunction, Request, Response } from 'express'
import helmet from 'helmet'
import type { Deps } from '../../platform/deps.ts'
import { strictTransport } from '../responses/envelope.ts'
import { createErrorReporter } from '../server/bare-app.ts'
import { type Deadline, startDeadline } from '../server/timeouts.ts'

/** What a page may do in a browser besides showing text and submitting forms to this service. */
export interface PagePermissions {
  /** Runs our scripts, which may send requests to us. */
  scripts: boolean
  images: boolean
  /** With `no-referrer`, browsers send `Origin: null` even with forms for our own pages. */
  referrer: 'strict-origin' | 'no-referrer'
}

/** Pages load nothing from other sites, can't be framed and aren't cached. */
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
    strictTransportSecurity: strictTransport(deps.config),
    frameguard: { action: 'deny' },
  })
  return (req: Request, res: Response): void => {
    // Helmet sets its headers before it returns, because none of these values is computed asynchronously.
    protect(req, res, () => undefined)
    res.setHeader('Cache-Control', 'no-store')
    res.setHeader('X-Robots-Tag', 'noindex, nofollow')
  }
}

/** First handler of the pages below `mount`. It logs the route's pattern, and thus no ids and no query. */
export function preparePage(deps: Pick<Deps, 'config'>, rights: PagePermissions, mount = '') {
  const setPageHeaders = createPageHeaders(deps, rights)
  return (req: Request, res: Response, next: NextFunction): void => {
    if (req.app.locals.stopping.aborted) res.setHeader('Connection', 'close')
    // Can only be `100-continue`: src/http/server/bare-app.ts rejects all other expectations.
    if (req.headers.expect !== undefined) res.writeContinue()
    res.locals.deadline = startDeadline()
    // Parses the query once. Express would do it at each read, which takes 1 ms for a query of 16 KB.
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

/** The log line needs the path at which a nested router is mounted. */
export const setMount = (mount: string) => (_req: Request, res: Response, next: NextFunction) => {
  res.locals.mount = mount
  next()
}

export const deadlineOf = (res: Response): Deadline => res.locals.deadline as Deadline

/** Sends the SERVICE_UNAVAILABLE page at the deadline. A later response is discarded. */
export async function enforceDeadline(_req: Request, res: Response, next: NextFunction): Promise<void> {
  const closed = new Promise<void>((resolve) => res.once('close', resolve))
  next()
  await deadlineOf(res).run(() => closed)
}

/** Rarely has to wait: only until database time is known precisely enough. */
export const awaitDatabaseTime =
  (deps: Pick<Deps, 'databaseTime'>) =>
  async (_req: Request, res: Response, next: NextFunction): Promise<void> => {
    const unsure = deps.databaseTime.unsure()
    if (unsure !== null) await deadlineOf(res).run(() => unsure)
    next()
  }

export type SendError = (req: Request, res: Response, status: number, error: unknown) => void

/** Errors always come as a page, never as JSON, and never with a stack trace. */
export function createPageErrors(
  deps: Pick<Deps, 'config' | 'log' | 'metrics'>,
  rights: PagePermissions,
  sendError: SendError,
) {
  const reportError = createErrorReporter(deps)
  const setPageHeaders = createPageHeaders(deps, rights)
  // Express recognises an error handler by its four parameters, so `_next` must be declared.
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void => {
    const { status, code, headers } = reportError(error, res)
    if (res.headersSent) return void (res.writableEnded || req.socket.destroy())
    res.locals.code = code
    // Again, because an error may come before a router has set them, or after a static file has changed Cache-Control.
    setPageHeaders(req, res)
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    // The unread rest of a body would be mistaken for the next request on this connection.
    if (!req.complete) res.setHeader('Connection', 'close')
    sendError(req, res, status, error)
  }
}

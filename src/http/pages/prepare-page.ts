import type { NextFunction, Request, Response } from 'express'
import type { Deps } from '../../deps.ts'
import { type Deadline, startDeadline } from '../server/deadline.ts'
import type { SetPageHeaders } from './page-headers.ts'

/**
 * The first handler of the pages below `mount`. The log records the route pattern that matched, without ids or the
 * query.
 */
export const preparePage =
  (mount: string, setPageHeaders: SetPageHeaders) =>
  (req: Request, res: Response, next: NextFunction): void => {
    if (req.app.locals.isStopping()) res.setHeader('Connection', 'close')
    // http/server/listen.ts has already rejected every expectation except 100-continue.
    if (req.headers.expect !== undefined) res.writeContinue()
    res.locals.deadline = startDeadline()
    // Express parses the query each time it is read, which takes 1 ms for a query of 16 KB.
    Object.defineProperty(req, 'query', { value: req.query })
    setPageHeaders(req, res)
    res.once('finish', () => {
      const { route } = req as { route?: { path: unknown } }
      if (route !== undefined) res.locals.route = `${req.method} ${mount}${mountOf(res)}${String(route.path)}`
    })
    next()
  }

/** Sets the path at which a nested router is mounted, for the route in the log line. */
export const setMount = (mount: string) => (_req: Request, res: Response, next: NextFunction) => {
  res.locals.mount = mount
  next()
}

const mountOf = (res: Response): string => (res.locals.mount as string | undefined) ?? ''

/** The deadline for a page request. */
export const deadlineOf = (res: Response): Deadline => res.locals.deadline as Deadline

/**
 * Sends the SERVICE_UNAVAILABLE error page if the response is not finished before the deadline. A later response is
 * dropped.
 */
export async function enforceDeadline(_req: Request, res: Response, next: NextFunction): Promise<void> {
  const closed = new Promise<void>((resolve) => res.once('close', resolve))
  next()
  await deadlineOf(res).run(() => closed)
}

/** Delays a request while database time is not known precisely enough, which is rare. */
export const awaitDatabaseTime =
  (deps: Pick<Deps, 'databaseTime'>) =>
  async (_req: Request, res: Response, next: NextFunction): Promise<void> => {
    const unsure = deps.databaseTime.unsure()
    if (unsure !== null) await deadlineOf(res).run(() => unsure)
    next()
  }

import type { NextFunction, Request, Response } from 'express'
import type { Deps } from '../../platform/deps.ts'
import { type Deadline, startDeadline } from '../server/timeouts.ts'
import type { SetPageHeaders } from './page-headers.ts'

/**
 * Creates the first handler for the pages below `mount`. The log line of a request contains the pattern of the
 * matching route, so it contains no ids and no query.
 */
export const preparePage =
  (mount: string, setPageHeaders: SetPageHeaders) =>
  (req: Request, res: Response, next: NextFunction): void => {
    if (req.app.locals.stopping.aborted) res.setHeader('Connection', 'close')
    // Only `100-continue` can occur here, because src/http/server/bare-app.ts has already rejected all other
    // expectations.
    if (req.headers.expect !== undefined) res.writeContinue()
    res.locals.deadline = startDeadline()
    // Parse the query only once. Express parses it each time it is read, which takes 1 ms for a query of 16 KB.
    Object.defineProperty(req, 'query', { value: req.query })
    setPageHeaders(req, res)
    res.once('finish', () => {
      const { route } = req as { route?: { path: unknown } }
      if (route !== undefined) res.locals.route = `${req.method} ${mount}${mountOf(res)}${String(route.path)}`
    })
    next()
  }

/** Records the path at which a nested router is mounted, so that the log line contains the full route. */
export const setMount = (mount: string) => (_req: Request, res: Response, next: NextFunction) => {
  res.locals.mount = mount
  next()
}

const mountOf = (res: Response): string => (res.locals.mount as string | undefined) ?? ''

/** Returns the deadline of a page request. */
export const deadlineOf = (res: Response): Deadline => res.locals.deadline as Deadline

/**
 * Sends the SERVICE_UNAVAILABLE error page if the response is not complete by the deadline. Any later response is
 * discarded.
 */
export async function enforceDeadline(_req: Request, res: Response, next: NextFunction): Promise<void> {
  const closed = new Promise<void>((resolve) => res.once('close', resolve))
  next()
  await deadlineOf(res).run(() => closed)
}

/** Delays a request until database time is known precisely enough. Delays are rare. */
export const awaitDatabaseTime =
  (deps: Pick<Deps, 'databaseTime'>) =>
  async (_req: Request, res: Response, next: NextFunction): Promise<void> => {
    const unsure = deps.databaseTime.unsure()
    if (unsure !== null) await deadlineOf(res).run(() => unsure)
    next()
  }

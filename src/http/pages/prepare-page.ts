import type { NextFunction, Request, Response } from 'express'
import type { Deps } from '../../platform/deps.ts'
import { type Deadline, startDeadline } from '../server/timeouts.ts'
import type { SetPageHeaders } from './page-headers.ts'

/** First handler of the pages below `mount`. It logs the route's pattern, and thus no ids and no query. */
export const preparePage =
  (mount: string, setPageHeaders: SetPageHeaders) =>
  (req: Request, res: Response, next: NextFunction): void => {
    if (req.app.locals.stopping.aborted) res.setHeader('Connection', 'close')
    // Can only be `100-continue`: src/http/server/bare-app.ts rejects all other expectations.
    if (req.headers.expect !== undefined) res.writeContinue()
    res.locals.deadline = startDeadline()
    // Parses the query once. Express would do it at each read, which takes 1 ms for a query of 16 KB.
    Object.defineProperty(req, 'query', { value: req.query })
    setPageHeaders(req, res)
    res.once('finish', () => {
      const { route } = req as { route?: { path: unknown } }
      if (route !== undefined) res.locals.route = `${req.method} ${mount}${mountOf(res)}${String(route.path)}`
    })
    next()
  }

/** The log line needs the path at which a nested router is mounted. */
export const setMount = (mount: string) => (_req: Request, res: Response, next: NextFunction) => {
  res.locals.mount = mount
  next()
}

const mountOf = (res: Response): string => (res.locals.mount as string | undefined) ?? ''

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

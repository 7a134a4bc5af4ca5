import type { NextFunction, Request, Response } from 'express'
import type { Deps } from '../../deps.ts'
import { type Deadline, startDeadline } from '../server/deadline.ts'
import type { SetPageHeaders } from './page-headers.ts'

/** The first step of a request for a page below `mount`. The log's route is the pattern that matched: no id, no query. */
export const preparePage =
  (mount: string, setPageHeaders: SetPageHeaders) =>
  (req: Request, res: Response, next: NextFunction): void => {
    if (req.app.locals.isStopping()) res.setHeader('Connection', 'close')
    // Any other expectation was refused before (listen.ts).
    if (req.headers.expect !== undefined) res.writeContinue()
    res.locals.deadline = startDeadline()
    // Express parses the query at each read, and a query of 16 KB takes a millisecond.
    Object.defineProperty(req, 'query', { value: req.query })
    setPageHeaders(req, res)
    res.once('finish', () => {
      const { route } = req as { route?: { path: unknown } }
      if (route !== undefined) res.locals.route = `${req.method} ${mount}${mountOf(res)}${String(route.path)}`
    })
    next()
  }

/** Tells of a router that is mounted further below: the log names its routes with it. */
export const setMount = (mount: string) => (_req: Request, res: Response, next: NextFunction) => {
  res.locals.mount = mount
  next()
}

const mountOf = (res: Response): string => (res.locals.mount as string | undefined) ?? ''

/** What is left of the request's timeouts with MongoDB. */
export const deadlineOf = (res: Response): Deadline => res.locals.deadline as Deadline

/** Whoever waits longer for MongoDB than a request may gets the page that says so; what comes later is dropped. */
export async function enforceDeadline(_req: Request, res: Response, next: NextFunction): Promise<void> {
  const answered = new Promise<void>((resolve) => res.once('close', resolve))
  next()
  await deadlineOf(res).run(() => answered)
}

/** Delays a request while database time is not known exactly enough, which is rare. */
export const awaitDatabaseTime =
  (deps: Pick<Deps, 'databaseTime'>) =>
  async (_req: Request, res: Response, next: NextFunction): Promise<void> => {
    const unsure = deps.databaseTime.unsure()
    if (unsure !== null) await deadlineOf(res).run(() => unsure)
    next()
  }

import { type NextFunction, type Request, type Response, Router, urlencoded } from 'express'
import type { Deps } from '../../deps.ts'
import { startDeadline } from '../../http/deadline.ts'
import { createBoard } from '../board/board.ts'
import { sendNotFound } from './answer.ts'
import { requireOwnOrigin } from './guards.ts'
import { createHeaders } from './headers.ts'
import { deadlineOf, recognise, requireSession } from './session.ts'
import { signInPages } from './sign-in.ts'
import { style } from './style.ts'
import { supportRoutes } from './support-routes.ts'

/** The largest form has a few short fields. The bytes are the limit; that of fields is above what they can hold. */
const readForm = urlencoded({ extended: false, limit: '8kb', parameterLimit: 10_000, inflate: false })

/** Everything under `/admin`: sign-in for all, the rest for whoever is signed in. Errors become pages in errors.ts. */
export function adminPages(deps: Deps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.use(prepare, createHeaders(deps))
  router.get('/style.css', (_req, res) => {
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    res.type('css').send(style)
  })
  router.use(requireOwnOrigin(deps.config.publicUrl), recognise(deps))
  // Bull Board's time is its own: a retry of all takes as long as it takes.
  router.use('/queues', requireSession, nameMount('/queues'), createBoard(deps))

  router.use(readForm, limitTime)
  router.use(signInPages(deps))
  router.use(requireSession)
  router.use(supportRoutes(deps))
  router.use((_req, res) => sendNotFound(res))
  return router
}

/** The log's route is the pattern that matched, below whatever it is mounted on: no id, no query. */
function prepare(req: Request, res: Response, next: NextFunction): void {
  if (req.app.locals.isStopping()) res.setHeader('Connection', 'close')
  // Any other expectation was refused before (http/listen.ts).
  if (req.headers.expect !== undefined) res.writeContinue()
  res.locals.deadline = startDeadline()
  res.once('finish', () => {
    const { route } = req as { route?: { path: unknown } }
    if (route !== undefined) res.locals.route = `${req.method} /admin${mountOf(res)}${String(route.path)}`
  })
  next()
}

const nameMount = (mount: string) => (_req: Request, res: Response, next: NextFunction) => {
  res.locals.mount = mount
  next()
}

const mountOf = (res: Response): string => (res.locals.mount as string | undefined) ?? ''

/** Whoever waits longer for MongoDB than a request may gets the page that says so; what comes later is dropped. */
async function limitTime(_req: Request, res: Response, next: NextFunction): Promise<void> {
  const answered = new Promise<void>((resolve) => res.once('close', resolve))
  next()
  await deadlineOf(res).spend(() => answered)
}

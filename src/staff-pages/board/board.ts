import type { Queue } from 'bullmq'
import { type ErrorRequestHandler, type NextFunction, type Request, type Response, Router } from 'express'
import { readAsset } from '../../http/pages/assets.ts'
import { isSafeMethod } from '../../http/pages/own-origin.ts'
import { isDatabaseFault } from '../../mongo/connect.ts'
import type { Deps } from '../../platform/deps.ts'
import { throttleLog } from '../../platform/log.ts'
import { isRedisFault } from '../../queues/queues.ts'
import { hasPermission } from '../../staff/permissions.ts'
import { staffAsActor } from '../guards.ts'
import { currentStaff } from '../layout.ts'
import { type BoardResponse, createBoardError, type RetryDeps, retryAllJobs, retryJob } from './retry.ts'
import { createRoleBoard, isDeliveryQueue } from './role-board.ts'
import { boardContentPolicy } from './settings.ts'

const maxJobsPerPage = 50
/** Redis rejects a larger number, which would look like a Redis failure. */
const lastPage = 1_000_000

const stylesheet = readAsset('staff-pages/board/bull-board.css')
const script = readAsset('staff-pages/board/scripts/name-retry.js')

/** We pass Bull Board only GET and HEAD, and handle Retry and Retry all. */
export function createQueueBoard(deps: RetryDeps & Pick<Deps, 'boardQueues'>): Router {
  const router = Router()
  router.use((_req, res, next) => {
    res.setHeader('Content-Security-Policy', boardContentPolicy)
    next()
  })

  router.put('/api/queues/:queue/:job/retry', guardAction, async (req, res) => {
    const queue = await queueOf(deps, req)
    sendJson(res, await retryJob(deps, queue, String(req.params.job), staffAsActor(req, res, null)))
  })
  router.put('/api/queues/:queue/retry/failed', guardAction, async (req, res) =>
    sendJson(res, await retryAllJobs(deps, await queueOf(deps, req), staffAsActor(req, res, null))),
  )
  router.use((req, res, next) => {
    if (isSafeMethod(req)) return next()
    refuseAction(res, 'This action is not available here. You can only re-queue deliveries.')
  })

  const boards = { requeuing: createRoleBoard(true), reading: createRoleBoard(false) }
  router.get('/static/own.css', (_req, res) => void res.type('css').send(stylesheet))
  router.get('/static/own.js', (_req, res) => void res.type('js').send(script))
  router.get(/^\/static\/(?:js|css)\//, (_req, res, next) => {
    // The names of these files change with their contents.
    res.setHeader('Cache-Control', 'private, max-age=31536000, immutable')
    next()
  })
  router.use('/api', async (req, res, next) => {
    // Bull Board uses NUL as a separator, and fails if a URL contains one.
    if (req.url.includes('%00')) return sendJson(res, badRequest('The address contains a NUL character'))
    if (Number(req.query.page ?? 1) > lastPage)
      return sendJson(res, badRequest(`There is no page after ${lastPage}`))
    if (Number(req.query.jobsPerPage ?? 0) > maxJobsPerPage)
      return sendJson(res, badRequest(`A page can show at most ${maxJobsPerPage} jobs`))
    const queues = await deps.boardQueues.obtain()
    for (const board of Object.values(boards)) board.addQueues(queues)
    next()
  })
  router.use((req, res, next) => {
    const board = hasPermission(currentStaff(res), 'requeue-deliveries') ? boards.requeuing : boards.reading
    board.app(req, res, next)
  })
  router.use(createErrorResponses(deps))
  return router
}

const sendJson = (res: Response, { status, body }: BoardResponse) => void res.status(status).json(body)

const refuseAction = (res: Response, message: string) =>
  sendJson(res, createBoardError(403, 'Refused', message))

const badRequest = (error: string): BoardResponse => ({ status: 400, body: { error } })

function guardAction(req: Request, res: Response, next: NextFunction) {
  if (!hasPermission(currentStaff(res), 'requeue-deliveries'))
    return refuseAction(res, 'Your account can view pages but not change anything.')
  if (isDeliveryQueue(String(req.params.queue))) return next()
  refuseAction(res, 'Only deliveries can be re-queued. The service restores other jobs automatically.')
}

async function queueOf(deps: Pick<Deps, 'boardQueues'>, req: Request): Promise<Queue> {
  const { queue: name } = req.params
  const queues = await deps.boardQueues.obtain()
  const queue = [...queues.values()].find((one) => one.name === name)
  if (queue === undefined) throw new Error(`no queue ${String(name)}`)
  return queue
}

function createErrorResponses(deps: Pick<Deps, 'log'>): ErrorRequestHandler {
  const logUnavailable = throttleLog(5000, (fields) => deps.log.warn(fields, 'board.unavailable'))
  return (error: unknown, req, res, _next) => {
    if (res.headersSent) return req.socket.destroy()
    const { status, body } = responseFor(error)
    if (status === 503) {
      logUnavailable({ err: error })
      res.setHeader('Retry-After', '2')
    }
    if (status === 500) deps.log.error({ err: error, requestId: res.locals.requestId }, 'request.failed')
    sendJson(res, { status, body })
  }
}

function responseFor(error: unknown): BoardResponse {
  if (isDatabaseFault(error))
    return createBoardError(503, 'MongoDB is not responding', 'Reload later to see whether it succeeded.')
  if (isRedisFault(error))
    return createBoardError(503, 'Redis is not responding', 'Nothing is lost. Other pages still work.')
  const { status } = error as { status?: number }
  if (error instanceof URIError || status === 400) return badRequest('This address is not valid')
  // Bull Board parses bodies even for GET, and responds with these statuses.
  if (status === 413 || status === 415) return { status, body: { error: 'This request body is not valid' } }
  return createBoardError(500, 'Something went wrong', 'An unexpected error occurred. It is logged.')
}

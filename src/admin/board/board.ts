import type { Queue } from 'bullmq'
import { type NextFunction, type Request, type Response, Router } from 'express'
import type { Deps } from '../../deps.ts'
import { staffOf } from '../pages/guards.ts'
import { requeuer } from '../pages/requeuer.ts'
import { isDeliveryQueue } from './adapters.ts'
import { createErrorAnswers } from './error-responses.ts'
import { createFace } from './face.ts'
import { contentSecurityPolicy } from './look.ts'
import { ownAssets } from './own-assets.ts'
import { type BoardAnswer, retryAll, retryJob } from './retry.ts'

/** As many jobs as its own settings allow on a page. */
const mostJobs = 50
/** Beyond what Redis can hold; a number that it cannot take would look like a fault of its own. */
const lastPage = 1_000_000

/**
 * Bull Board at `/admin/queues`, for whoever is signed in. Nothing but looking reaches it: the two acts there are, Retry and
 * Retry all of deliveries, are done here and in MongoDB; whatever else is no GET is refused, for everybody.
 */
export function createBoard(deps: Deps): Router {
  const router = Router()
  router.use((_req, res, next) => {
    res.setHeader('Content-Security-Policy', contentSecurityPolicy)
    next()
  })

  router.put('/api/queues/:queue/:job/retry', guardAct, async (req, res) =>
    answer(res, await retryJob(deps, await queueOf(deps, req), String(req.params.job), requeuer(req, res))),
  )
  router.put('/api/queues/:queue/retry/failed', guardAct, async (req, res) =>
    answer(res, await retryAll(deps, await queueOf(deps, req), requeuer(req, res))),
  )
  router.use((req, res, next) => {
    if (req.method === 'GET' || req.method === 'HEAD') return next()
    refuseAct(res, 'This cannot be done here. The only act is to send a delivery again.')
  })

  const faces = { support: createFace('support'), viewer: createFace('viewer') }
  router.use(ownAssets())
  router.use('/api', async (req, res, next) => {
    // Bull Board parts its own words by NUL, and fails where one stands among them.
    if (req.url.includes('%00')) return answer(res, { status: 400, body: { error: 'NUL is no text' } })
    if (Number(req.query.page ?? 1) > lastPage)
      return answer(res, { status: 400, body: { error: `There is no page after ${lastPage}` } })
    if (Number(req.query.jobsPerPage ?? 0) > mostJobs)
      return answer(res, { status: 400, body: { error: `At most ${mostJobs} jobs fit on a page` } })
    const queues = await deps.boardQueues.obtain()
    for (const face of Object.values(faces)) face.show(queues)
    next()
  })
  router.use((req, res, next) => void faces[staffOf(res).role].app(req, res, next))
  router.use(createErrorAnswers(deps))
  return router
}

const answer = (res: Response, { status, body }: BoardAnswer): void => void res.status(status).json(body)

const refuseAct = (res: Response, message: string): void =>
  answer(res, { status: 403, body: { error: 'Refused', message } })

function guardAct(req: Request, res: Response, next: NextFunction): void {
  if (staffOf(res).role !== 'support') return refuseAct(res, 'Your account may look, but not act.')
  if (isDeliveryQueue(String(req.params.queue))) return next()
  refuseAct(res, 'Only deliveries can be sent again. Other jobs come back by themselves.')
}

async function queueOf(deps: Deps, req: Request): Promise<Queue> {
  const { queue: name } = req.params
  const queues = await deps.boardQueues.obtain()
  const queue = [...queues.values()].find((one) => one.name === name)
  if (queue === undefined) throw new Error(`no queue ${String(name)}`)
  return queue
}

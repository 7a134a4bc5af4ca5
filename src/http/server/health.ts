import { Router } from 'express'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { pingMongo } from '../../mongo/connect.ts'
import { shareRuns } from '../../process/share-runs.ts'
import { inTime } from '../../process/timeout.ts'
import { send } from '../responses/envelope.ts'

/** How long a health probe waits for MongoDB and Redis. */
const timeoutMs = 2000

/**
 * Creates the router that serves the probes. `/healthz` succeeds as long as the process is running. `/readyz` returns
 * 503 if MongoDB is unreachable or the process is shutting down. If only Redis is unreachable, `/readyz` succeeds and
 * reports `degraded`, because intents can still be created and deliveries are only delayed.
 */
export function health(deps: Deps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  const checkDependencies = shareRuns(() =>
    Promise.all([inTime(pingMongo(deps.mongo), timeoutMs), inTime(deps.queues.ping(), timeoutMs)]),
  )
  router.get('/healthz', (_req, res) => {
    res.locals.route = 'GET /healthz'
    send(res, { status: 200, code: null, body: Buffer.from('{"status":"ok"}'), headers: {} })
  })
  router.get('/readyz', async (_req, res) => {
    res.locals.route = 'GET /readyz'
    const [mongodb, redis] = await checkDependencies()
    const ready = mongodb && !deps.stopping.signal.aborted
    const status = ready ? (redis ? 'ok' : 'degraded') : 'unavailable'
    const state = { status, mongodb: mongodb ? 'up' : 'down', redis: redis ? 'up' : 'down' }
    const body = Buffer.from(JSON.stringify(state))
    send(res, { status: ready ? 200 : 503, code: null, body, headers: ready ? {} : { 'Retry-After': '2' } })
  })
  router.all(['/healthz', '/readyz'], () => {
    throw refuse('ENDPOINT_NOT_FOUND', { headers: { Allow: 'GET, HEAD' } })
  })
  return router
}

import { Router } from 'express'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { createScrape } from '../../metrics/scrape.ts'
import { pingMongo } from '../../mongo/connect.ts'
import { inTime } from '../../process/timeout.ts'
import { send, setApiHeaders } from '../responses/envelope.ts'

/** How long a health probe waits for MongoDB and Redis. */
const timeoutMs = 2000

/**
 * Creates the router that serves the probes. `/healthz` succeeds as long as the process is running. `/readyz` returns
 * 503 if MongoDB is unreachable or the process is shutting down. If only Redis is unreachable, `/readyz` succeeds and
 * reports `degraded`, because intents can still be created and deliveries are only delayed. `/metrics` is scraped by
 * Prometheus (docs/operators/watch.md).
 */
export function health(deps: Deps, isStopping: () => boolean): Router {
  const router = Router({ strict: true, caseSensitive: true })
  const scrape = shareRuns(createScrape(deps))
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
    const ready = mongodb && !isStopping()
    const status = ready ? (redis ? 'ok' : 'degraded') : 'unavailable'
    const state = { status, mongodb: mongodb ? 'up' : 'down', redis: redis ? 'up' : 'down' }
    const body = Buffer.from(JSON.stringify(state))
    send(res, { status: ready ? 200 : 503, code: null, body, headers: ready ? {} : { 'Retry-After': '2' } })
  })
  router.get('/metrics', async (_req, res) => {
    res.locals.route = 'GET /metrics'
    const text = await scrape()
    setApiHeaders(res)
    res.type(deps.metrics.registry.contentType).send(text)
  })
  router.all(['/healthz', '/readyz', '/metrics'], () => {
    throw refuse('ENDPOINT_NOT_FOUND', { headers: { Allow: 'GET, HEAD' } })
  })
  return router
}

/**
 * Makes all concurrent callers share one run and its result, so that a flood of probes causes only one run at a time.
 */
function shareRuns<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<Result> | null = null
  return () => {
    current ??= run().finally(() => {
      current = null
    })
    return current
  }
}

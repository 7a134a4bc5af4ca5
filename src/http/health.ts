import { Router } from 'express'
import type { Deps } from '../deps.ts'
import { send } from './answer.ts'

/** How long a probe waits for MongoDB. */
const patienceMs = 2000

/**
 * `/healthz`: the process lives. `/readyz`: it can serve; 503 without MongoDB or while it stops. Without Redis it is
 * degraded and still ready: creates succeed and deliveries wait.
 */
export function health(deps: Pick<Deps, 'mongo' | 'queues'>, isStopping: () => boolean): Router {
  const router = Router()
  router.get('/healthz', (_req, res) =>
    send(res, { status: 200, code: null, body: '{"status":"ok"}', headers: {} }),
  )
  router.get('/readyz', async (_req, res) => {
    const [mongodb, redis] = await Promise.all([within(pingMongo(deps)), within(deps.queues.isReady())])
    const ready = mongodb && !isStopping()
    const status = ready ? (redis ? 'ok' : 'degraded') : 'unavailable'
    const body = JSON.stringify({ status, mongodb: mongodb ? 'up' : 'down', redis: redis ? 'up' : 'down' })
    send(res, { status: ready ? 200 : 503, code: null, body, headers: ready ? {} : { 'Retry-After': '2' } })
  })
  return router
}

const pingMongo = async (deps: Pick<Deps, 'mongo'>): Promise<boolean> => {
  await deps.mongo.db?.admin().ping()
  return deps.mongo.db !== undefined
}

/** False for a check that fails or takes too long. */
async function within(check: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, patienceMs, false)
  })
  const answered = await Promise.race([check.catch(() => false), late])
  clearTimeout(timer)
  return answered
}

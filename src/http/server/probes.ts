import cluster from 'node:cluster'
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Express, Request, RequestHandler, Response } from 'express'
import { pingMongo } from '../../mongo/connect.ts'
import { joinSum } from '../../monitoring/cluster-metrics.ts'
import { createScrape } from '../../monitoring/scrape.ts'
import type { Deps } from '../../platform/deps.ts'
import { type ErrorCode, type Refusal, refuse } from '../../platform/errors.ts'
import { coalesceRuns } from '../../platform/share-runs.ts'
import { succeedsWithin } from '../../platform/timeout.ts'
import { sendResponse, setApiHeaders } from '../responses/envelope.ts'
import { createBareApp, createReadRoute, refuseUnknownUrl } from './bare-app.ts'
import { createHttpServer, type HttpServer } from './listen.ts'
import { httpTimeouts } from './timeouts.ts'

type MetricsDeps = Parameters<typeof createScrape>[0] & Pick<Deps, 'config' | 'log'>

const timeoutMs = 2000

/** METRICS_PORT moves `/metrics` to a port of its own. */
export function mountProbes(
  deps: MetricsDeps & Pick<Deps, 'mongo' | 'queues' | 'stopping'>,
  app: Express,
): void {
  app.use(createReadRoute('/healthz', (_req, res) => sendState(res, 200, { status: 'ok' })))
  app.use(createReadRoute('/readyz', readiness(deps)))
  if (deps.config.metricsPort === null) useMetrics(deps, app)
}

/** Without Redis, intents still work, and deliveries are only delayed. */
function readiness(deps: Pick<Deps, 'mongo' | 'queues' | 'stopping'>): RequestHandler {
  const checkDependencies = coalesceRuns(() =>
    Promise.all([
      succeedsWithin(pingMongo(deps.mongo), timeoutMs),
      succeedsWithin(deps.queues.ping(), timeoutMs),
    ]),
  )
  return async (_req, res) => {
    const [mongodb, redis] = await checkDependencies()
    const ready = mongodb && !deps.stopping.signal.aborted
    const status = ready ? (redis ? 'ok' : 'degraded') : 'unavailable'
    if (!ready) res.setHeader('Retry-After', '2')
    const state = { status, mongodb: mongodb ? 'up' : 'down', redis: redis ? 'up' : 'down' }
    sendState(res, ready ? 200 : 503, state)
  }
}

const sendState = (res: Response, status: number, state: object): void =>
  sendResponse(res, { status, code: null, body: Buffer.from(JSON.stringify(state)), headers: {} })

function useMetrics(deps: MetricsDeps, app: Express): void {
  const read = coalesceRuns(createScrape(deps))
  const scrape = coalesceRuns(
    cluster.isWorker ? joinSum(read, deps.log) : () => read().then((registry) => registry.metrics()),
  )
  app.use(
    createReadRoute('/metrics', async (req, res) => {
      requireToken(req, deps.config.metricsToken)
      const text = await scrape()
      setApiHeaders(res)
      res.type(deps.metrics.registry.contentType).send(text)
    }),
  )
}

function requireToken(req: Request, token: string | null): void {
  if (token === null) return
  const [header, ...more] = req.headersDistinct.authorization ?? []
  if (header === undefined) throw unauthorised('MISSING_CREDENTIALS', 'The Authorization header is missing.')
  const given = more.length === 0 ? /^bearer (\S+)$/i.exec(header)?.[1] : undefined
  if (given === undefined) throw unauthorised('INVALID_AUTH_HEADER', 'The Authorization header is malformed.')
  // A constant-time comparison needs values of equal length.
  if (!timingSafeEqual(hashOf(given), hashOf(token)))
    throw unauthorised('INVALID_API_KEY', 'This token is not valid.')
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

const unauthorised = (code: ErrorCode, fault: string): Refusal =>
  refuse(code, {
    message: `${fault} Send the metrics token as "Authorization: Bearer <token>".`,
    headers: { 'WWW-Authenticate': 'Bearer' },
  })

export const serveProbes = (deps: Deps) => serveOn(deps, deps.config.workerPort, mountProbes)

export const serveMetrics = (deps: Deps) => serveOn(deps, deps.config.metricsPort, useMetrics)

async function serveOn(
  deps: Deps,
  port: number | null,
  fill: (deps: Deps, app: Express) => void,
): Promise<HttpServer | null> {
  if (port === null) return null
  const app = createBareApp(deps, (bare) => {
    fill(deps, bare)
    bare.use(refuseUnknownUrl)
  })
  const http = createHttpServer(deps, app, httpTimeouts)
  await http.listen(port)
  return http
}

import { once } from 'node:events'
import type { Express } from 'express'
import type { Deps } from '../../deps.ts'
import { createBareApp, refuseUnknown } from './bare-app.ts'
import { health } from './health.ts'
import { createHttpServer, type HttpServer } from './listen.ts'
import { metrics } from './metrics.ts'
import { timeouts } from './timeouts.ts'

/**
 * Adds the health probes to an app, and the metrics unless they have a port of their own. The operator decides with
 * METRICS_PORT where metrics are served, and with METRICS_TOKEN who may read them.
 */
export function useProbes(deps: Deps, app: Express): void {
  app.use(health(deps))
  if (deps.config.metricsPort === null) app.use(metrics(deps))
}

/** Serves the health probes of a worker. Returns null if they have no port. */
export const serveProbes = (deps: Deps) => serveOn(deps, deps.config.workerPort, (app) => useProbes(deps, app))

/** Serves only the metrics. Returns null if they have no port of their own. */
export const serveMetrics = (deps: Deps) => serveOn(deps, deps.config.metricsPort, (app) => void app.use(metrics(deps)))

async function serveOn(deps: Deps, port: number | null, fill: (app: Express) => void): Promise<HttpServer | null> {
  if (port === null) return null
  const app = createBareApp(deps, (bare) => {
    fill(bare)
    bare.use(refuseUnknown)
  })
  const http = createHttpServer(deps, app, timeouts)
  await once(http.server.listen(port), 'listening')
  return http
}

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
export function useProbes(deps: Deps, app: Express, isStopping: () => boolean): void {
  app.use(health(deps, isStopping))
  if (deps.config.metricsPort === null) app.use(metrics(deps))
}

/** Serves the health probes of a process that has no other HTTP server. */
export const serveProbes = (deps: Deps, port: number, isStopping: () => boolean): Promise<HttpServer> =>
  serveOn(deps, port, isStopping, (app) => useProbes(deps, app, isStopping))

/** Serves only the metrics, on their own port. Returns null if they have no port of their own. */
export async function serveMetrics(deps: Deps, isStopping: () => boolean): Promise<HttpServer | null> {
  const { metricsPort } = deps.config
  if (metricsPort === null) return null
  return serveOn(deps, metricsPort, isStopping, (app) => app.use(metrics(deps)))
}

async function serveOn(
  deps: Deps,
  port: number,
  isStopping: () => boolean,
  fill: (app: Express) => void,
): Promise<HttpServer> {
  const app = createBareApp(deps, isStopping, (bare) => {
    fill(bare)
    bare.use(refuseUnknown)
  })
  const http = createHttpServer(deps, app, timeouts)
  await once(http.server.listen(port), 'listening')
  return http
}

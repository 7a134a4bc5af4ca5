import { once } from 'node:events'
import type { Deps } from '../../deps.ts'
import { createBareApp, refuseUnknown } from './bare-app.ts'
import { health } from './health.ts'
import { createHttpServer, type HttpServer } from './listen.ts'
import { timeouts } from './timeouts.ts'

/** Serves only the health probes and metrics, on a separate port, for a process that has no other HTTP server. */
export async function serveProbes(deps: Deps, port: number, isStopping: () => boolean): Promise<HttpServer> {
  const app = createBareApp(deps, isStopping, (bare) => bare.use(health(deps, isStopping), refuseUnknown))
  const server = createHttpServer(deps, app, timeouts)
  server.listen(port)
  await once(server, 'listening')
  return server
}

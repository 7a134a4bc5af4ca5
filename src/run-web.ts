import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { createApp } from './app.ts'
import { openProcess } from './context/open-deps.ts'
import { createHttpServer, maxStopMs } from './http/server/listen.ts'
import { serveMetrics } from './http/server/probes.ts'
import { timeouts } from './http/server/timeouts.ts'

// This is the entry point of the `web` process. It opens the dependencies, serves requests until it receives SIGTERM,
// and then closes everything in an orderly way.
const { config, log, deps, onStop } = await openProcess('web')
const metricsServer = await serveMetrics(deps)
const { server, stop } = createHttpServer(deps, createApp(deps), timeouts)
await once(server.listen(config.port), 'listening')
log.info({ port: config.port, publicUrl: config.publicUrl }, 'web.started')

/** The part of the shutdown timeout that is left for closing the connections to MongoDB, Redis and the wallets. */
const closeMs = 3_000

onStop(config.shutdownTimeoutMs, async (leftMs) => {
  // `/readyz` now fails, and each connection is closed after its next response. The process keeps accepting connections
  // for a while, so that load balancers and clients notice that it is shutting down.
  deps.stopping.abort()
  // Held requests for the event feed get their responses now.
  deps.chainWatch.close()
  await wait(config.shutdownDrainMs)
  await Promise.all([stop(Math.min(maxStopMs(config), leftMs() - closeMs)), metricsServer?.stop(0)])
  await deps.close()
})

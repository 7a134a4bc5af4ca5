import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { createApp } from './app.ts'
import { openProcess } from './context/open-deps.ts'
import { createHttpServer, maxStopMs } from './http/server/listen.ts'
import { serveMetrics } from './http/server/probes.ts'
import { timeouts } from './http/server/timeouts.ts'

// Entry point of the `web` process.
const { config, log, deps, onStop } = await openProcess('web')
const metricsServer = await serveMetrics(deps)
const { server, stop } = createHttpServer(deps, createApp(deps), timeouts)
await once(server.listen(config.port), 'listening')
log.info({ port: config.port, publicUrl: config.publicUrl }, 'web.started')

/** What's left of the shutdown timeout for closing the connections to MongoDB, Redis and the wallets. */
const closeMs = 3_000

onStop(config.shutdownTimeoutMs, async (leftMs) => {
  // `/readyz` now fails, and each connection closes after its next response. New connections are still accepted for a
  // while, so that load balancers and clients notice.
  deps.stopping.abort()
  // Long-polls of the event feed get their responses now.
  deps.chainWatch.close()
  await wait(config.shutdownDrainMs)
  await Promise.all([stop(Math.min(maxStopMs(config), leftMs() - closeMs)), metricsServer?.stop(0)])
  await deps.close()
})

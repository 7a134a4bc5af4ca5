import { setTimeout as wait } from 'node:timers/promises'
import { createApp } from './app.ts'
import { initProcess } from './context/open-deps.ts'
import { createHttpServer, maxStopMs } from './http/server/listen.ts'
import { serveMetrics } from './http/server/probes.ts'
import { httpTimeouts } from './http/server/timeouts.ts'
import { reportReady } from './monitoring/cluster-metrics.ts'

const { config, log, deps, onStop } = await initProcess('web')
const metricsServer = await serveMetrics(deps)
const { listen, stop } = createHttpServer(deps, createApp(deps), httpTimeouts)
await listen(config.port)
log.info({ port: config.port, publicUrl: config.publicUrl }, 'web.started')
reportReady()

/** Closing the connections to MongoDB, Redis and the wallets takes time. */
const closeMs = 3_000

onStop(config.shutdownTimeoutMs, async (leftMs) => {
  // New connections are accepted until load balancers notice.
  deps.stopping.abort()
  deps.chainWatch.close()
  await wait(config.shutdownDrainMs)
  await Promise.all([stop(Math.min(maxStopMs(config), leftMs() - closeMs)), metricsServer?.stop(0)])
  await deps.close()
})

import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { createApp } from '../../app.ts'
import { loadConfig } from '../../config.ts'
import { countLines, createMetrics, measureProcess } from '../../metrics/metrics.ts'
import { checkTransactionLifetime, retryWhileUnreachable } from '../../mongo/connect.ts'
import { makeIndexes } from '../../mongo/indexes.ts'
import { openDeps } from '../../open-deps.ts'
import { endOnCrash } from '../../process/crash.ts'
import { createLog } from '../../process/log.ts'
import { stopOnSignals } from '../../process/stop.ts'
import { createHttpServer, maxStopMs } from './listen.ts'
import { serveMetrics } from './probes.ts'
import { timeouts } from './timeouts.ts'

// This is the entry point of the `web` process. It opens the dependencies, serves requests until it receives SIGTERM,
// and then closes everything in an orderly way.
const config = loadConfig()
const metrics = createMetrics()
const log = createLog(config.logLevel, 'web', countLines(metrics))
endOnCrash(log)
const onStop = stopOnSignals(log)
const deps = await openDeps(config, log, metrics, 'web')
measureProcess(metrics)
await checkTransactionLifetime(config, log)
if (!config.production) await retryWhileUnreachable(log, () => makeIndexes(config, log))

let stopping = false
const metricsServer = await serveMetrics(deps, () => stopping)
const { server, stop } = createHttpServer(
  deps,
  createApp(deps, () => stopping),
  timeouts,
)
await once(server.listen(config.port), 'listening')
log.info({ port: config.port, publicUrl: config.publicUrl }, 'web.started')

/** The part of the shutdown timeout that is left for closing the connections to MongoDB, Redis and the wallets. */
const closeMs = 3_000

onStop(config.shutdownTimeoutMs, async (leftMs) => {
  // `/readyz` now fails, and each connection is closed after its next response. The process keeps accepting connections
  // for a while, so that load balancers and clients notice that it is shutting down.
  stopping = true
  // Held requests for the event feed get their responses now.
  deps.chainWatch.close()
  await wait(config.shutdownDrainMs)
  await Promise.all([stop(Math.min(maxStopMs(config), leftMs() - closeMs)), metricsServer?.stop(0)])
  await deps.close()
})

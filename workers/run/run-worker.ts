import { loadConfig } from '../../src/config.ts'
import { serveMetrics, serveProbes } from '../../src/http/server/probes.ts'
import { countLines, createMetrics, measureProcess } from '../../src/metrics/metrics.ts'
import { checkTransactionLifetime, retryWhileUnreachable } from '../../src/mongo/connect.ts'
import { makeIndexes } from '../../src/mongo/indexes.ts'
import { openDeps } from '../../src/open-deps.ts'
import { endOnCrash } from '../../src/process/crash.ts'
import { createLog } from '../../src/process/log.ts'
import { stopOnSignals } from '../../src/process/stop.ts'
import { startWorkers } from './start.ts'

/** The `worker` process. It runs the jobs of all queues, or only of the queues listed in WORKER_QUEUES. */
const config = loadConfig()
const metrics = createMetrics()
const log = createLog(config.logLevel, 'worker', countLines(metrics))
endOnCrash(log)
const closeBy = stopOnSignals(log)
const deps = await openDeps(config, log, metrics, 'worker')
measureProcess(metrics)
await checkTransactionLifetime(config, log)
if (!config.production) await retryWhileUnreachable(log, () => makeIndexes(config, log))

let isStopping = false
const { workerPort } = config
const probes = workerPort === null ? null : await serveProbes(deps, workerPort, () => isStopping)
const metricsServer = await serveMetrics(deps, () => isStopping)
const workers = startWorkers(deps)
log.info({ queues: config.workerQueues }, 'worker.started')

closeBy(config.shutdownTimeoutMs, async () => {
  isStopping = true
  await workers.close()
  // The probes and metrics must respond until the workers are closed. Attempts in flight may delay that by 20 s.
  await Promise.all([probes?.stop(0), metricsServer?.stop(0)])
  await deps.close()
})

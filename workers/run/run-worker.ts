import { serveMetrics, serveProbes } from '../../src/http/server/probes.ts'
import { openProcess } from '../../src/process/open-process.ts'
import { startWorkers } from './start.ts'

/** The `worker` process. It runs the jobs of all queues, or only of the queues listed in WORKER_QUEUES. */
const { config, log, deps, onStop } = await openProcess('worker')
const probes = await serveProbes(deps)
const metricsServer = await serveMetrics(deps)
const workers = startWorkers(deps)
log.info({ queues: config.workerQueues }, 'worker.started')

onStop(config.shutdownTimeoutMs, async () => {
  deps.stopping.abort()
  await workers.close()
  // The probes and metrics must respond until the workers are closed. Attempts in flight may delay that by 20 s.
  await Promise.all([probes?.stop(0), metricsServer?.stop(0)])
  await deps.close()
})

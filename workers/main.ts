import { requireNode24 } from '../src/platform/require-node.ts'

requireNode24()

const { serveMetrics, serveProbes } = await import('../src/http/server/probes.ts')
const { initProcess } = await import('../src/context/open-deps.ts')
const { startWorkers } = await import('./run/start.ts')

const { config, log, deps, onStop } = await initProcess('worker')
const probes = await serveProbes(deps)
const metricsServer = await serveMetrics(deps)
const workers = startWorkers(deps)
const { workerQueues: queues, webhookProxy } = config
log.info({ queues, webhookProxy: webhookProxy?.hostname ?? null }, 'worker.started')

onStop(config.shutdownTimeoutMs, async () => {
  deps.stopping.abort()
  await workers.close()
  // Attempts can delay this by 20 s, and probes must respond until then.
  await Promise.all([probes?.stop(0), metricsServer?.stop(0)])
  await deps.close()
})

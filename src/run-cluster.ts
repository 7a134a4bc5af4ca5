import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { constants } from 'node:os'
import { loadConfig } from './config/config.ts'
import { createMetrics } from './metrics/metrics.ts'
import { onMessage, sumMetrics } from './monitoring/cluster-metrics.ts'
import { createLog } from './platform/log.ts'
import { exitOnCrash, stopOnSignals } from './platform/stop.ts'

const firstWaitMs = 500
const maxWaitMs = 30_000
/** After this time, a child counts as stable, and the next wait is short again. */
const stableMs = 60_000
/** A child ends by itself at its own deadline. */
const beyondChildMs = 500

const config = loadConfig()
const metrics = createMetrics()
const log = createLog(config.logLevel, 'web', (level, line) => metrics.logLines.inc({ level, line }))
exitOnCrash(log)
const running = new Set<Worker>()
let isStopping = false
let isComplete = false

// Unlike JSON, this keeps NaN in metrics.
cluster.setupPrimary({ serialization: 'advanced' })
sumMetrics(metrics.registry, log)
// If the primary is killed, its children exit when their channel closes.
process.on('exit', () => {
  for (const { process: child } of running) child.kill('SIGKILL')
})
stopOnSignals(log)(config.shutdownTimeoutMs + beyondChildMs, async () => {
  isStopping = true
  await Promise.all([...running].map(stop))
})
await refusePortInUse()
start(0)

async function stop(child: Worker): Promise<void> {
  const exited = once(child, 'exit')
  child.process.kill('SIGTERM')
  await exited
}

/** Our own children may share the port, but another service may not. */
async function refusePortInUse(): Promise<void> {
  const server = createServer().listen(config.port)
  await once(server, 'listening')
  await new Promise((resolve) => server.close(resolve))
}

/** The others start once the first is ready, so a bad start fails once. */
function completeCluster(): void {
  if (isComplete) return
  isComplete = true
  for (let others = config.webConcurrency - 1; others > 0; others -= 1) start(0)
}

function start(failures: number): void {
  if (isStopping) return
  const startedAt = performance.now()
  const child = cluster.fork()
  running.add(child)
  onMessage(child, 'ready', completeCluster)
  const ended = (code: number | null, signal: NodeJS.Signals | null) => {
    running.delete(child)
    if (isStopping) return
    // Only a bad start ends us. Later, probes notice.
    if (!isComplete) process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL'])
    const isStable = performance.now() - startedAt > stableMs
    const restartMs = Math.min(maxWaitMs, firstWaitMs * 2 ** (isStable ? 0 : failures))
    log.warn({ childPid: child.process.pid, code, signal, restartMs }, 'web.child-exited')
    setTimeout(start, restartMs, isStable ? 1 : failures + 1)
  }
  child.once('exit', ended)
  child.on('error', (err) => {
    log.warn({ err, childPid: child.process.pid }, 'web.child-error')
    // A failed fork never exits.
    if (child.process.pid === undefined) ended(1, null)
  })
}

import { loadConfig } from './config.ts'
import { createMetrics, measureProcess } from './metrics/metrics.ts'
import { checkTransactionLifetime, retryWhileUnreachable } from './mongo/connect.ts'
import { makeIndexes } from './mongo/indexes.ts'
import { openDeps, type ProcessType } from './open-deps.ts'
import { createLog } from './process/log.ts'
import { endOnCrash, stopOnSignals } from './process/stop.ts'

/** Opens what a process that handles requests or jobs needs. The caller passes `onStop` the function that closes it. */
export async function openProcess(type: ProcessType) {
  const config = loadConfig()
  const metrics = createMetrics()
  const log = createLog(config.logLevel, type, (level, line) => metrics.logLines.inc({ level, line }))
  endOnCrash(log)
  const onStop = stopOnSignals(log)
  const deps = await openDeps(config, log, metrics, type)
  measureProcess(metrics)
  await checkTransactionLifetime(config, log)
  if (!config.production) await retryWhileUnreachable(log, () => makeIndexes(config, log))
  return { config, log, deps, onStop }
}

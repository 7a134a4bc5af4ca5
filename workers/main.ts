import { loadConfig } from '../src/config.ts'
import { openDeps } from '../src/deps.ts'
import { makeIndexes } from '../src/indexes.ts'
import { createLog } from '../src/log.ts'
import { stopOnSignals } from '../src/stop.ts'
import { startWorkers } from './run/start.ts'

/** Process `worker`: every queue, or those of WORKER_QUEUES. */
const config = loadConfig()
const log = createLog(config.logLevel, 'worker')
const deps = await openDeps(config, log, () => new Date())
if (!config.production) await makeIndexes(config.mongodbUrl, log)
const workers = startWorkers(deps)
log.info({ queues: config.workerQueues }, 'worker.started')

stopOnSignals(log, async () => {
  await workers.close()
  await deps.close()
})

import { loadConfig } from './config.ts'
import { makeIndexes } from './mongo/indexes.ts'
import { createLog } from './process/log.ts'
import { stopOnSignals } from './process/stop.ts'

// This is the `release` step in the Procfile. It prepares the database for a new version.
const config = loadConfig()
const log = createLog(config.logLevel, 'release', null)
// If a signal interrupts the step, the step can simply be run again. The step does not wait for MongoDB, so that a
// deployment fails immediately if MongoDB is unreachable.
stopOnSignals(log)
await makeIndexes(config, log)

import { loadConfig } from './config.ts'
import { makeIndexes } from './mongo/indexes.ts'
import { createLog } from './process/log.ts'
import { stopOnSignals } from './process/stop.ts'

// The `release` step of the Procfile: prepares the database for a new version.
const config = loadConfig()
const log = createLog(config.logLevel, 'release', null)
// An interrupted run can simply be started again. The step does not wait for MongoDB, so a deployment fails immediately
// if MongoDB is unreachable.
stopOnSignals(log)
await makeIndexes(config.mongodbUrl, log)

import { loadConfig } from './config.ts'
import { makeIndexes } from './mongo/indexes.ts'
import { createLog } from './process/log.ts'
import { stopOnSignals } from './process/stop.ts'

// The `release` step of the Procfile: what must be there before a new version runs.
const config = loadConfig()
const log = createLog(config.logLevel, 'release', null)
// Wherever it is cut, it can run again. It waits for no database: who deploys is to hear that there is none.
stopOnSignals(log)
await makeIndexes(config.mongodbUrl, log)

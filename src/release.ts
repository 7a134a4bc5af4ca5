import { loadConfig } from './config.ts'
import { makeIndexes } from './indexes.ts'
import { createLog } from './log.ts'

// The `release` step of the Procfile: what must be there before a new version runs.
const config = loadConfig()
await makeIndexes(config.mongodbUrl, createLog(config.logLevel, 'release'))

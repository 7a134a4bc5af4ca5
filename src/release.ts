import { requireNode } from './platform/require-node.ts'

requireNode()

// The `release` step in the Procfile: prepares the database for a new version.
const { loadConfig } = await import('./config/config.ts')
const { makeIndexes } = await import('./context/models.ts')
const { createLog } = await import('./platform/log.ts')
const { stopOnSignals } = await import('./platform/stop.ts')

const config = loadConfig()
const log = createLog(config.logLevel, 'release', null)
// An interrupted step can simply run again. Fails at once if MongoDB is unreachable, rather than wait for it.
stopOnSignals(log)
await makeIndexes(config, log)

import { requireNode } from './platform/require-node.ts'

requireNode()

// This is the `release` step in the Procfile. It prepares the database for a new version.
const { loadConfig } = await import('./config/config.ts')
const { makeIndexes } = await import('./context/indexes.ts')
const { createLog } = await import('./platform/log.ts')
const { stopOnSignals } = await import('./platform/stop.ts')

const config = loadConfig()
const log = createLog(config.logLevel, 'release', null)
// If a signal interrupts the step, the step can simply be run again. The step does not wait for MongoDB, so that a
// deployment fails immediately if MongoDB is unreachable.
stopOnSignals(log)
await makeIndexes(config, log)

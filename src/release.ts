import { requireNode } from './platform/require-node.ts'

requireNode()

const { loadConfig } = await import('./config/config.ts')
const { makeIndexes } = await import('./context/models.ts')
const { createLog } = await import('./platform/log.ts')
const { stopOnSignals } = await import('./platform/stop.ts')

const config = loadConfig()
const log = createLog(config.logLevel, 'release', null)
// An interrupted step can simply run again.
stopOnSignals(log)
await makeIndexes(config, log)

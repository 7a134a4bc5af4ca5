import { requireNode24 } from './platform/require-node.ts'

requireNode24()

const { loadConfig } = await import('./config/config.ts')
const { updateDatabase } = await import('./context/models.ts')
const { createLog } = await import('./platform/log.ts')
const { stopOnSignals } = await import('./platform/stop.ts')

const config = loadConfig()
const log = createLog(config.logLevel, 'release', null)
// Every step can run twice, so a signal may interrupt any of them.
stopOnSignals(log)
await updateDatabase(config, log)

import { once } from 'node:events'
import { createApp } from './app.ts'
import { loadConfig } from './config.ts'
import { openDeps } from './deps.ts'
import { createHttpServer } from './http/listen.ts'
import { makeIndexes } from './indexes.ts'
import { createLog } from './log.ts'
import { stopOnSignals } from './stop.ts'

/** Process `web`: config → deps → listen → SIGTERM → close. */
const config = loadConfig()
const log = createLog(config.logLevel, 'web')
const deps = await openDeps(config, log, () => new Date())
if (!config.production) await makeIndexes(config.mongodbUrl, log)

let stopping = false
const server = createHttpServer(createApp(deps, () => stopping))
server.listen(config.port)
await once(server, 'listening')
log.info({ port: config.port, publicUrl: config.publicUrl }, 'web.started')

stopOnSignals(log, async () => {
  stopping = true
  // Idle connections end now, busy ones with their answer.
  await new Promise((resolve) => server.close(resolve))
  await deps.close()
})

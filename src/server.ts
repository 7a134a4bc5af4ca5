import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { createApp } from './app.ts'
import { loadConfig } from './config.ts'
import { endOnCrash } from './crash.ts'
import { openDeps } from './deps.ts'
import { patience } from './http/connections/patience.ts'
import { createHttpServer, longestStopMs } from './http/listen.ts'
import { makeIndexes } from './indexes.ts'
import { createLog } from './log.ts'
import { countLines } from './metrics/count-lines.ts'
import { measureProcess } from './metrics/measure-process.ts'
import { createMetrics } from './metrics/metrics.ts'
import { onceThere } from './mongo.ts'
import { stopOnSignals } from './stop.ts'

/** Process `web`: config → signals → deps → listen → SIGTERM → close. */
const config = loadConfig()
const metrics = createMetrics()
const log = createLog(config.logLevel, 'web', countLines(metrics))
endOnCrash(log)
const closeBy = stopOnSignals(log)
const deps = await openDeps(config, log, metrics, 'web')
measureProcess(metrics)
if (!config.production) await onceThere(log, () => makeIndexes(config.mongodbUrl, log))

/** Long enough for a busy keep-alive connection to hear it, so that none is closed under a request. */
const drainMs = 1000

let stopping = false
const server = createHttpServer(
  deps,
  createApp(deps, () => stopping),
  patience,
)
server.listen(config.port)
await once(server, 'listening')
log.info({ port: config.port, publicUrl: config.publicUrl }, 'web.started')

closeBy(async () => {
  // Not ready any more, and every answer ends its connection; those still coming meanwhile are served.
  stopping = true
  await wait(drainMs)
  await server.stop(longestStopMs(config))
  await deps.close()
})

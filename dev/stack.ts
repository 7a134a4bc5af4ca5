// `npm run stack`: the two servers alone, until it is stopped. Its one line on stdout is an environment for the service.
import { endWithParent } from './end-with-parent.mjs'
import { startLocalServers } from './local-servers.ts'
import { stopSignal } from './stop-signal.ts'

endWithParent()
try {
  const servers = await startLocalServers('stack')
  console.log(`MONGODB_URL=${servers.mongoUrl} REDIS_URL=${servers.redisUrl}`)
  await stopSignal()
  await servers.stop()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}

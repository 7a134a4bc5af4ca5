// `npm run stack`: runs only MongoDB and Redis until it is stopped. Prints one line, an environment for the service.
import { endWithParent } from './end-with-parent.mjs'
import { startLocalServers, stopSignal } from './local-servers.ts'

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

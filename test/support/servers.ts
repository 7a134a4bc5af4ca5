// Loaded by mocha (.mocharc.json). Starts one MongoDB and one Redis for the whole run, and removes them at its end.
import { endWithParent } from '../../dev/end-with-parent.mjs'
import { type Server, startMongo, startRedis } from '../../dev/servers.ts'
import { allClosed } from './closing.ts'
import { contractHooks } from './contract-faults.ts'

const LINGER_LIMIT_MS = 5000

/** A test that needs to break a server starts one of its own from dev/servers.ts. */
export const servers = {} as { mongo: Server; redis: Server; mongoUrl: string; redisUrl: string }

export const mochaHooks = contractHooks

export async function mochaGlobalSetup(): Promise<void> {
  endWithParent()
  // Many tests freeze the service's clock at a past date. MongoDB's clock is the real one, so a TTL index would remove
  // their sessions and claims at a random moment.
  const [mongo, redis] = await Promise.all([startMongo({ ttlSeconds: 86_400 }), startRedis()])
  Object.assign(servers, { mongo, redis, mongoUrl: mongo.url, redisUrl: redis.url })
  console.error(
    `MongoDB ${mongo.version} on port ${mongo.port}, Redis ${redis.version} on port ${redis.port}`,
  )
}

export async function mochaGlobalTeardown(): Promise<void> {
  await allClosed()
  await Promise.all([servers.mongo.stop(), servers.redis.stop()])
  setTimeout(failForOpenResources, LINGER_LIMIT_MS).unref()
}

/** Runs only if a test has left something open that keeps the process alive. */
function failForOpenResources(): void {
  console.error(`A test left something open: ${process.getActiveResourcesInfo().join(', ')}`)
  process.once('exit', () => {
    process.exitCode ||= 1
  })
  process.exit()
}

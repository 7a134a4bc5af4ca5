// Loaded by mocha itself (.mocharc.json): one MongoDB and one Redis for the whole run, ended and removed with it.
import { endWithParent } from '../../dev/end-with-parent.mjs'
import { type Server, startMongo, startRedis } from '../../dev/servers.ts'

/** A test that needs to break a server starts one of its own from dev/servers.ts. */
export const servers = {} as { mongo: Server; redis: Server; mongoUrl: string; redisUrl: string }

export async function mochaGlobalSetup(): Promise<void> {
  endWithParent()
  const [mongo, redis] = await Promise.all([startMongo(), startRedis()])
  Object.assign(servers, { mongo, redis, mongoUrl: mongo.url, redisUrl: redis.url })
  console.error(
    `MongoDB ${mongo.version} on port ${mongo.port}, Redis ${redis.version} on port ${redis.port}`,
  )
}

export async function mochaGlobalTeardown(): Promise<void> {
  await Promise.all([servers.mongo.stop(), servers.redis.stop()])
}

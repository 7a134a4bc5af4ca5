import { expect } from 'chai'
import { type Server, startMongo, startRedis } from '../../dev/servers.ts'
import { mongoTimeouts } from '../../src/mongo/connect.ts'
import { withTimeout } from '../../src/platform/timeout.ts'
import { allClosed } from './closing.ts'
import { contractHooks } from './contract-faults.ts'
import { deadlineMs, setTimes } from './machine.ts'

/** A global, like mocha's functions. */
globalThis.expect = expect

declare global {
  var expect: Chai.ExpectStatic
}

/** Shared: a test that breaks a server starts its own from dev/servers.ts. */
export const servers = {} as { mongo: Server; redis: Server; mongoUrl: string; redisUrl: string }
export const mochaHooks = contractHooks

export async function begin(): Promise<void> {
  // Many tests freeze the service's clock in the past. MongoDB's clock is the real one, so TTL indexes would remove
  // their sessions and claims at random moments.
  const options = { ttlSeconds: 86_400, ignoresTimeLimits: true }
  const [mongo, redis] = await Promise.all([startMongo(options), startRedis()])
  const mongoUrl = `${mongo.url}&serverMonitoringMode=poll`
  Object.assign(servers, { mongo, redis, mongoUrl, redisUrl: redis.url })
}

const idle = Object.entries(mongoTimeouts)

export function setSlowness(times: number): void {
  setTimes(times)
  for (const [name, ms] of idle) Object.assign(mongoTimeouts, { [name]: deadlineMs(ms) })
}

export async function end(): Promise<void> {
  await allClosed()
  await withTimeout(Promise.all([servers.mongo.stop(), servers.redis.stop()]), deadlineMs(60_000), () => {
    throw new Error('MongoDB or Redis does not stop')
  })
}

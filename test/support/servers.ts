import { type Server, serverTimes, startMongo, startRedis } from '../../dev/servers.ts'
import { timeouts } from '../../src/mongo/connect.ts'
import { withTimeout } from '../../src/platform/timeout.ts'
import { allClosed } from './closing.ts'
import { contractHooks } from './contract-faults.ts'
import { deadlineMs, setTimes } from './machine.ts'

/** What dev/tests/worker.ts asks of this file: servers for the process, and hooks for each test file. */

/** A test that needs to break a server starts one of its own from dev/servers.ts. */
export const servers = {} as { mongo: Server; redis: Server; mongoUrl: string; redisUrl: string }

export const mochaHooks = contractHooks

export async function begin(): Promise<void> {
  // Many tests freeze the service's clock at a past date. MongoDB's clock is the real one, so a TTL index would remove
  // their sessions and claims at a random moment.
  const [mongo, redis] = await Promise.all([startMongo({ ttlSeconds: 86_400, ignoresTimeLimits: true }), startRedis()])
  // A client that polls its server has one connection fewer.
  const mongoUrl = `${mongo.url}&serverMonitoringMode=poll`
  Object.assign(servers, { mongo, redis, mongoUrl, redisUrl: redis.url })
}

const idle = Object.entries(timeouts)

/** How much slower than idle this machine is. Connections to MongoDB that are opened from now on wait longer. */
export function setSlowness(times: number): void {
  setTimes(times)
  for (const [name, ms] of idle) Object.assign(timeouts, { [name]: deadlineMs(ms) })
}

export const serverPids = (): number[] =>
  [servers.mongo, servers.redis].flatMap(({ pid }) => (pid === undefined ? [] : [pid]))

/** Returns the processor time of all servers that this process has started, in ms. */
export async function end(): Promise<typeof serverTimes> {
  await allClosed()
  const stopped = Promise.all([servers.mongo.stop(), servers.redis.stop()])
  await withTimeout(stopped, deadlineMs(60_000), () => {
    throw new Error('MongoDB or Redis does not stop')
  })
  return serverTimes
}

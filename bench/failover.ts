import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { mongo } from 'mongoose'
import { Pool } from 'undici'
import { type Server, startMongoReplicaSet } from '../dev/servers.ts'
import { makeMerchants } from './merchants.ts'
import { order } from './order.ts'
import type { Bench, Pair } from './rounds.ts'
import { waitFor } from './wait-for.ts'
import { startServing, startWeb } from './web.ts'
import { createPath } from './web-and-worker.ts'

const MEMBERS = 3
/** Concurrent creates of each side. There are few, so that two cores do not limit them. */
const CONCURRENCY = 4
const STEADY_MS = 3000
const REST_MS = 20
/** The timeouts of the service (src/mongo/connect.ts). */
const SAME_TIMEOUTS = '&serverSelectionTimeoutMS=2000&heartbeatFrequencyMS=1000&socketTimeoutMS=5000'

/** The longest time without a successful create after the primary was killed. */
export interface Outage {
  seconds: number
  /** The number of failed creates. */
  failed: number
}

/** Kills the primary of a replica set of three while the service and a bare route create. */
export async function measureFailover(bench: Bench): Promise<Pair<Outage>[]> {
  const set = await startMongoReplicaSet(MEMBERS)
  const secretKey = randomBytes(32)
  const [merchant] = await makeMerchants(set.url, secretKey, 1, 'test')
  const web = await startWeb(bench, { name: 'failover-web', mongodbUrl: set.url, secretKey })
  const bareRoute = await startServing(bench, 'bare-failover-route', 'bench/bare/route.ts', {
    MONGODB_URL: set.url + SAME_TIMEOUTS,
  })
  const api = new Pool(web.origin, { connections: CONCURRENCY })
  const bareApi = new Pool(bareRoute.origin, { connections: CONCURRENCY })
  const client = await mongo.MongoClient.connect(set.url)
  const pairs: Pair<Outage>[] = []
  for (let round = 0; round < bench.rounds; round += 1) {
    const service = createRepeatedly(() => create(api, createPath, merchant?.apiKey))
    const bare = createRepeatedly(() => create(bareApi, '/', 'none'))
    await pause(STEADY_MS)
    const primary = await primaryOf(client, set.members)
    const killedAt = performance.now()
    await primary.kill('SIGKILL')
    await waitFor('both sides to recover', async () => service.steadySince(killedAt) && bare.steadySince(killedAt))
    pairs.push({ service: await service.end(killedAt), bare: await bare.end(killedAt) })
    await primary.restart()
    await waitFor('the member to recover', async () => (await healthyIn(client)) === MEMBERS)
  }
  await Promise.all([api.close(), bareApi.close(), client.close(), web.end(), bareRoute.end()])
  await set.stop()
  return pairs
}

async function create(api: Pool, path: string, apiKey: string | undefined): Promise<boolean> {
  const response = await api.request({
    method: 'POST',
    path,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'Content-Type': 'application/json',
      'X-Idempotency-Key': randomUUID(),
    },
    body: JSON.stringify(order),
  })
  await response.body.dump()
  return response.statusCode === 201
}

/** Runs `act` repeatedly, a few times at once, and records the instants of successes and failures. */
function createRepeatedly(act: () => Promise<boolean>) {
  const successes: number[] = []
  const failures: number[] = []
  const ending = new AbortController()
  const loop = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const succeeded = await act().catch(() => false)
      ;(succeeded ? successes : failures).push(performance.now())
      await pause(REST_MS)
    }
  }
  const loops = Promise.all(Array.from({ length: CONCURRENCY }, loop))
  const longestWithout = (instant: number): number =>
    longestGap([...successes.filter((at) => at <= instant).slice(-1), ...successes.filter((at) => at > instant)])
  return {
    /** Whether a create has succeeded since an instant, and none has failed for a while. */
    steadySince(instant: number): boolean {
      const now = performance.now()
      const last = Math.max(instant, ...failures)
      return now - last > STEADY_MS && successes.some((at) => at > last)
    },
    async end(killedAt: number): Promise<Outage> {
      ending.abort()
      await loops
      const failed = failures.filter((at) => at > killedAt).length
      return { seconds: longestWithout(killedAt) / 1000, failed }
    },
  }
}

const longestGap = (instants: number[]): number =>
  Math.max(...instants.map((at, index) => at - (instants[index - 1] ?? at)))

async function primaryOf(client: mongo.MongoClient, members: Server[]): Promise<Server> {
  const { primary } = (await client.db('admin').command({ hello: 1 })) as { primary: string }
  const member = members.find(({ port }) => primary.endsWith(`:${port}`))
  if (member === undefined) throw new Error('The replica set has no primary')
  return member
}

async function healthyIn(client: mongo.MongoClient): Promise<number> {
  const status = (await client.db('admin').command({ replSetGetStatus: 1 })) as {
    members: { stateStr: string }[]
  }
  return status.members.filter(({ stateStr }) => /^(PRIMARY|SECONDARY)$/.test(stateStr)).length
}

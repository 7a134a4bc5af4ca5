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
/** Of each side; a few, so that two cores are not what is measured. */
const AT_A_TIME = 4
const STEADY_MS = 3000
const REST_MS = 20
/** As the service is (src/mongo/connect.ts). */
const AS_QUICK_TO_NOTICE = '&serverSelectionTimeoutMS=2000&heartbeatFrequencyMS=1000&socketTimeoutMS=5000'

/** Seconds without a success after the primary was killed. */
export interface Outage {
  seconds: number
  /** What was tried meanwhile and did not succeed. */
  failed: number
}

/** Kills the primary of a replica set of three under creates, and under those of a bare route beside them. */
export async function measureFailover(bench: Bench): Promise<Pair<Outage>[]> {
  const set = await startMongoReplicaSet(MEMBERS)
  const secretKey = randomBytes(32)
  const [merchant] = await makeMerchants(set.url, secretKey, 1, 'test')
  const web = await startWeb(bench, { name: 'failover-web', mongodbUrl: set.url, secretKey })
  const bareRoute = await startServing(bench, 'bare-failover-route', 'bench/bare/route.ts', {
    MONGODB_URL: set.url + AS_QUICK_TO_NOTICE,
  })
  const api = new Pool(web.origin, { connections: AT_A_TIME })
  const bareApi = new Pool(bareRoute.origin, { connections: AT_A_TIME })
  const books = await mongo.MongoClient.connect(set.url)
  const pairs: Pair<Outage>[] = []
  for (let round = 0; round < bench.rounds; round += 1) {
    const service = keepTrying(() => create(api, createPath, merchant?.apiKey))
    const bare = keepTrying(() => create(bareApi, '/', 'none'))
    await pause(STEADY_MS)
    const primary = await primaryOf(books, set.members)
    const killedAt = performance.now()
    await primary.kill('SIGKILL')
    await waitFor('both to go on', async () => service.steadySince(killedAt) && bare.steadySince(killedAt))
    pairs.push({ service: await service.end(killedAt), bare: await bare.end(killedAt) })
    await primary.restart()
    await waitFor('the member to be back', async () => (await healthyIn(books)) === MEMBERS)
  }
  await Promise.all([api.close(), bareApi.close(), books.close(), web.end(), bareRoute.end()])
  await set.stop()
  return pairs
}

async function create(api: Pool, path: string, apiKey: string | undefined): Promise<boolean> {
  const answer = await api.request({
    method: 'POST',
    path,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'Content-Type': 'application/json',
      'X-Idempotency-Key': randomUUID(),
    },
    body: JSON.stringify(order),
  })
  await answer.body.dump()
  return answer.statusCode === 201
}

/** Tries again and again, some at a time, and writes down when it succeeded. */
function keepTrying(act: () => Promise<boolean>) {
  const successes: number[] = []
  const failures: number[] = []
  const ending = new AbortController()
  const batcher = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const succeeded = await act().catch(() => false)
      ;(succeeded ? successes : failures).push(performance.now())
      await pause(REST_MS)
    }
  }
  const batchers = Promise.all(Array.from({ length: AT_A_TIME }, batcher))
  const longestWithout = (instant: number): number =>
    longestGap([
      ...successes.filter((at) => at <= instant).slice(-1),
      ...successes.filter((at) => at > instant),
    ])
  return {
    /** Whether nothing failed for a while, after something had succeeded since. */
    steadySince(instant: number): boolean {
      const now = performance.now()
      const last = Math.max(instant, ...failures)
      return now - last > STEADY_MS && successes.some((at) => at > last)
    },
    async end(killedAt: number): Promise<Outage> {
      ending.abort()
      await batchers
      const failed = failures.filter((at) => at > killedAt).length
      return { seconds: longestWithout(killedAt) / 1000, failed }
    },
  }
}

const longestGap = (instants: number[]): number =>
  Math.max(...instants.map((at, place) => at - (instants[place - 1] ?? at)))

async function primaryOf(books: mongo.MongoClient, members: Server[]): Promise<Server> {
  const { primary } = (await books.db('admin').command({ hello: 1 })) as { primary: string }
  const member = members.find(({ port }) => primary.endsWith(`:${port}`))
  if (member === undefined) throw new Error('The replica set has no primary')
  return member
}

async function healthyIn(books: mongo.MongoClient): Promise<number> {
  const status = (await books.db('admin').command({ replSetGetStatus: 1 })) as {
    members: { stateStr: string }[]
  }
  return status.members.filter(({ stateStr }) => /^(PRIMARY|SECONDARY)$/.test(stateStr)).length
}

import { Redis } from 'ioredis'
import { withDatabase } from './copies.ts'
import { openOutboxes } from './outboxes.ts'
import type { Bench } from './rounds.ts'
import { waitForCount } from './wait-for.ts'
import { startWebOnly } from './web-and-worker.ts'
import { startWitness } from './witness.ts'

/** The number of endpoints. Each has its own merchant. */
const ENDPOINTS = 20
/** Deliveries that wait for their next attempt. */
const WAITING = 20_000
/** DEAD deliveries. Each needs eight attempts. */
const DEAD = 4_000
/** Deliveries before the measurement, so that the fixed structures of Redis and BullMQ exist. */
const BEFORE = 2_000

/**
 * `hash-max-listpack-value`, by the name that older servers know too. A small hash with a longer value takes much more
 * memory.
 */
const setting = 'hash-max-ziplist-value'
const redisDefault = '64'

/** Bytes of memory in Redis for each delivery. */
export interface Bytes {
  /** The value of `hash-max-listpack-value`. */
  setting: string
  /** A delivery in BullMQ's *delayed*. */
  waiting: number
  /** A delivery in BullMQ's *failed*. */
  dead: number
}

/** Measures with the setting of the project's Redis, and with the default of Redis. */
export async function measureRedisBytes(bench: Bench): Promise<Bytes[]> {
  const redis = new Redis(bench.redisUrl)
  const [, configured] = (await redis.config('GET', setting)) as [string, string]
  const measured: Bytes[] = []
  for (const value of new Set([configured, redisDefault])) {
    await redis.config('SET', setting, value)
    const slow = '86400,86400,86400,86400,86400,86400,86400'
    const waiting = await bytesOf(bench, redis, {
      name: `delayed-${value}`,
      retries: slow,
      count: WAITING,
      state: 'delayed',
    })
    const quick = '0.1,0.1,0.1,0.1,0.1,0.1,0.1'
    const dead = await bytesOf(bench, redis, {
      name: `failed-${value}`,
      retries: quick,
      count: DEAD,
      state: 'failed',
    })
    measured.push({ setting: value, waiting, dead })
  }
  await redis.config('SET', setting, configured)
  await redis.quit()
  return measured
}

interface Kept {
  name: string
  /** WEBHOOK_RETRY_SECONDS. */
  retries: string
  count: number
  state: 'delayed' | 'failed'
}

/** Lets endpoints refuse `count` deliveries. Returns the memory per delivery when all are in `state`. */
async function bytesOf(bench: Bench, redis: Redis, { name, retries, count, state }: Kept): Promise<number> {
  await redis.flushall()
  const witness = await startWitness(bench.runtime, `${name}-endpoints`, 1)
  const [port = 0] = witness.ports
  const service = await startWebOnly(bench, name, {
    WEBHOOK_ALLOWED_HOSTS: witness.allowedHosts,
    WEBHOOK_RETRY_SECONDS: retries,
  })
  const urls = Array.from({ length: ENDPOINTS }, (_, index) => `${witness.urlOf(port)}/${index}`)
  const bytes = await withDatabase(service.mongodbUrl, async (database) => {
    const outboxes = await openOutboxes(bench, database, service, urls)
    const fill = async (events: number) => {
      await outboxes.fill(events)
      await outboxes.wake()
    }
    // If the poll began an attempt, the delivery's earlier job may still be there.
    const waitForJobs = async (jobs: Record<Kept['state'], number>) => {
      for (const each of ['delayed', 'failed'] as const)
        await waitForCount(`jobs are in ${each}`, jobs[each], () => jobsIn(redis, name, each))
    }
    service.startWorker()
    await fill(BEFORE)
    await waitForCount('of the first ones are DELIVERED', BEFORE, () => outboxes.countIn('DELIVERED'))
    await waitForJobs({ delayed: 0, failed: 0 })
    const before = await usedMemory(redis, name)
    await witness.behave(port, 'fails')
    await fill(count)
    const status = state === 'failed' ? 'DEAD' : 'RETRYING'
    await waitForCount(`deliveries are ${status}`, count, () => outboxes.countIn(status))
    await waitForJobs({ delayed: 0, failed: 0, [state]: count })
    const after = await usedMemory(redis, name)
    await outboxes.close()
    return (after - before) / count
  })
  await service.end()
  await witness.end()
  return bytes
}

/** The used memory without expiry jobs and BullMQ's streams of its last 10 000 events, which belong to no delivery. */
async function usedMemory(redis: Redis, prefix: string): Promise<number> {
  const others = [`${prefix}:intent-expiry:*`, `${prefix}:*:events`].map((pattern) => redis.keys(pattern))
  const keys = (await Promise.all(others)).flat()
  while (keys.length > 0) await redis.del(keys.splice(0, 1000))
  const info = await redis.info('memory')
  return Number(/used_memory:(\d+)/.exec(info)?.[1])
}

/** Counts the jobs of a state in all queues for deliveries. */
async function jobsIn(redis: Redis, prefix: string, state: string): Promise<number> {
  const sets = await redis.keys(`${prefix}:webhook-delivery*:${state}`)
  const sizes = await Promise.all(sets.map((key) => redis.zcard(key)))
  return sizes.reduce((sum, size) => sum + size, 0)
}

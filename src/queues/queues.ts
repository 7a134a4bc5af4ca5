import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import type { Config } from '../config.ts'
import { type Log, throttled } from '../process/log.ts'
import { createRunCommands, type RunCommands } from './commands.ts'
import { createCounts, type QueueCounts } from './counts.ts'
import { type NewJob, type QueueName, queueNames } from './jobs.ts'
import { createProducer, type Producer } from './producer.ts'
import { createStanding, type StandingJobs } from './standing-jobs.ts'

/** When a queue gets a job by itself: a cron pattern, of which the first part are seconds, and the time zone that it means. */
interface Schedule {
  id: string
  pattern: string
  tz: string
}

/**
 * Has BullMQ add a job by the clock, from now on and whoever is there then. Only where it does not yet: an upsert would delete the job of a run that
 * is overdue, and each deploy would be one.
 */
async function keepSchedule(queue: Queue, { id, pattern, tz }: Schedule): Promise<void> {
  const known = await queue.getJobScheduler(id)
  if (known?.pattern === pattern && known.tz === tz) return
  await queue.upsertJobScheduler(id, { pattern, tz }, { name: queue.name })
}

/** Adds jobs without making anybody wait: a poll finds the work of a lost one, so a fault is logged and forgotten. */
export type Enqueue = <Name extends QueueName>(name: Name, jobs: NewJob<Name>[]) => void

export interface Queues {
  enqueue: Enqueue
  /** What is there already, to be looked at and put right. All of it waits for Redis, and throws without it. */
  standing: StandingJobs
  /** For what else all processes share: other commands on the same connection. */
  runCommands: RunCommands
  counts: QueueCounts
  /** Has a queue get a job by the clock. Changes nothing where it does already. Waits for Redis, and throws without it. */
  keepSchedule(name: QueueName, schedule: Schedule): Promise<void>
  /** Calls back each time Redis can be used (again). */
  whenReady(act: () => void): void
  /** Throws unless Redis answers now. */
  ping(): Promise<unknown>
  close(): Promise<void>
}

/**
 * The producing side of every queue, on a connection of its own that fails fast: BullMQ's `add` would otherwise hang
 * for as long as Redis is away. Per queue at most one trip is under way; what comes meanwhile goes with the next.
 */
export function openQueues(config: Pick<Config, 'redisUrl' | 'queuePrefix'>, log: Log): Queues {
  const connection = new Redis(config.redisUrl, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 3000,
    connectTimeout: 3000,
    retryStrategy: (times) => Math.min(times * 100, 1000),
  })
  const complain = throttled(5000, (fields) => log.warn(fields, 'redis.unavailable'))
  connection.on('error', (err) => complain({ err }))
  const opened = new Map<QueueName, Promise<Queue>>()
  const obtain = (name: QueueName): Promise<Queue> => {
    const known = opened.get(name)
    if (known !== undefined) return known
    const queue = openQueue(connection, config.queuePrefix, name, complain)
    opened.set(name, queue)
    queue.catch(() => opened.delete(name))
    return queue
  }
  const producers = Object.fromEntries(
    queueNames.map((name) => [name, createProducer(name, () => obtain(name), complain)]),
  ) as Record<QueueName, Producer>
  return {
    enqueue: (name, jobs) => producers[name].add(jobs),
    standing: createStanding(connection, obtain, `${config.queuePrefix}:whole`),
    runCommands: createRunCommands(connection, complain),
    counts: createCounts(connection, obtain),
    keepSchedule: async (name, schedule) => keepSchedule(await obtain(name), schedule),
    whenReady: (act) => void connection.on('ready', act),
    ping: () => connection.ping(),
    async close() {
      await Promise.all(queueNames.map((name) => producers[name].drained()))
      for (const queue of opened.values()) await queue.then((open) => open.close()).catch(() => undefined)
      connection.disconnect()
    },
  }
}

/** BullMQ asks Redis for its version first and never again: a queue opened while Redis is away would stay broken. */
export async function openQueue(
  connection: Redis,
  prefix: string,
  name: QueueName,
  complain: (fields: object) => void,
): Promise<Queue> {
  if (connection.status !== 'ready') throw new Error('Redis is not connected')
  const queue = new Queue(name, { connection, prefix, skipWaitingForReady: true })
  queue.on('error', (err) => complain({ err, queue: name }))
  try {
    await queue.waitUntilReady()
    return queue
  } catch (error) {
    queue.close().catch(() => undefined)
    throw error
  }
}

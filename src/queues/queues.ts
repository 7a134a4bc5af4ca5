import { Queue } from 'bullmq'
import { type NewJob, type QueueName, queueNames } from '../../schemas/jobs.ts'
import type { Config } from '../config/config.ts'
import type { Log } from '../platform/log.ts'
import { succeedsWithin } from '../platform/timeout.ts'
import { createCounts } from './counts.ts'
import { openFailingFast, type RedisConnection } from './open-redis.ts'
import { createProducer, type Producer } from './producer.ts'
import { createStanding } from './standing-jobs.ts'

/** `pattern` is a cron pattern whose first field is the seconds, and `tz` is its time zone. */
interface Schedule {
  id: string
  pattern: string
  tz: string
}

type Command = readonly [name: string, key: string, argument: number]

/**
 * Runs all commands in one transaction, or none. Returns the response to each, or null for one that doesn't suit its
 * key's value. Never throws. Returns null if Redis is down, frozen or full; it's then unknown whether the commands ran.
 */
export type RunCommands = (commands: readonly Command[]) => Promise<unknown[] | null>

const createRunCommands =
  (connection: RedisConnection, complain: (fields: object) => void): RunCommands =>
  async (commands) => {
    // It was logged when the connection emitted `error`.
    if (connection.status !== 'ready') return null
    try {
      const responses = (await connection.multi(commands.map((command) => [...command])).exec()) ?? []
      const fault = responses.find(([error]) => error !== null)?.[0]
      if (fault) complain({ err: fault })
      return responses.map(([error, response]) => (error === null ? response : null))
    } catch (err) {
      complain({ err })
      return null
    }
  }

/** Works in the background. Errors are only logged, because a poll finds the work of a lost job. */
export type Enqueue = <Name extends QueueName>(name: Name, jobs: NewJob<Name>[]) => void

export type Queues = ReturnType<typeof openQueues>

/** How long a command waits for Redis. */
const timeoutMs = 3000

export type QueuesConfig = Pick<Config, 'redisUrl' | 'redisTrust' | 'queuePrefix'>

/**
 * Uses a connection of its own that fails fast, because otherwise BullMQ's `add` would hang while Redis is down. A
 * producer sends one batch at a time; jobs that arrive meanwhile go into the next one.
 */
export function openQueues(config: QueuesConfig, log: Log) {
  const { connection, complain } = openFailingFast(config, log, timeoutMs, false)
  const connected = new Promise<void>((resolve) => {
    for (const event of ['ready', 'error', 'close']) connection.once(event, () => resolve())
  })
  const opened = new Map<QueueName, Promise<Queue>>()
  const obtain = (name: QueueName): Promise<Queue> => {
    const known = opened.get(name)
    if (known !== undefined) return known
    // A process that has just started waits for its first connection.
    const queue = succeedsWithin(connected, timeoutMs).then(() =>
      openQueue(connection, config.queuePrefix, name, complain),
    )
    opened.set(name, queue)
    queue.catch(() => opened.delete(name))
    return queue
  }
  const producers = Object.fromEntries(
    queueNames.map((name) => [name, createProducer(name, () => obtain(name), complain)]),
  ) as Record<QueueName, Producer>
  const enqueue: Enqueue = (name, jobs) => producers[name].add(jobs)
  const marker = `${config.queuePrefix}:whole`
  return {
    enqueue,
    /** Reads and repairs the jobs stored in Redis. All functions throw if Redis can't be reached. */
    standing: createStanding(connection, obtain, marker),
    /** Runs commands on state that all processes share. */
    runCommands: createRunCommands(connection, complain),
    counts: createCounts(connection, obtain),
    /**
     * Leaves an identical schedule unchanged: this runs at every start, and an upsert would delete a job that is
     * overdue. Throws if Redis is unavailable.
     */
    async keepSchedule(name: QueueName, { id, pattern, tz }: Schedule): Promise<void> {
      const queue = await obtain(name)
      const known = await queue.getJobScheduler(id)
      if (known?.pattern === pattern && known.tz === tz) return
      await queue.upsertJobScheduler(id, { pattern, tz }, { name })
    },
    /** Calls `act` every time the connection becomes ready. */
    whenReady: (act: () => void): void => void connection.on('ready', act),
    /** Throws if Redis doesn't respond. In a cluster, it reaches the node that has the jobs. */
    ping: (): Promise<unknown> => connection.type(marker),
    async close(): Promise<void> {
      await Promise.all(queueNames.map((name) => producers[name].drained()))
      for (const queue of opened.values()) await queue.then((open) => open.close()).catch(() => undefined)
      connection.disconnect()
    },
  }
}

/** BullMQ reads Redis's version only here, so a queue opened without a connection would never work. */
export async function openQueue(
  connection: RedisConnection,
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

import { Queue } from 'bullmq'
import { type NewJob, type QueueName, queueNames } from '../../schemas/jobs.ts'
import type { Config } from '../config/config.ts'
import type { Log } from '../platform/log.ts'
import { inTime } from '../platform/timeout.ts'
import { createCounts } from './counts.ts'
import { openFailingFast, type RedisConnection } from './open-redis.ts'
import { createProducer, type Producer } from './producer.ts'
import { createStanding } from './standing-jobs.ts'

/**
 * A schedule by which BullMQ adds jobs to a queue. `pattern` is a cron pattern whose first field is the seconds, and
 * `tz` is its time zone.
 */
interface Schedule {
  id: string
  pattern: string
  tz: string
}

/** A Redis command with a key and one numeric argument. */
type Command = readonly [name: string, key: string, argument: number]

/**
 * Runs commands in one transaction and returns the response to each command, or null for a command that does not suit
 * its key's value. Redis runs either all of the commands or none. This function never throws. It returns null if Redis
 * is down, frozen or full. In that case, it is unknown whether the commands ran.
 */
export type RunCommands = (commands: readonly Command[]) => Promise<unknown[] | null>

const createRunCommands =
  (connection: RedisConnection, complain: (fields: object) => void): RunCommands =>
  async (commands) => {
    // The failure has already been logged when the connection emitted an `error` event.
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

/** Adds jobs in the background. Errors are only logged, because if a job is lost, a poll finds its work. */
export type Enqueue = <Name extends QueueName>(name: Name, jobs: NewJob<Name>[]) => void

export type Queues = ReturnType<typeof openQueues>

/** The maximum time that the connection waits for Redis. */
const timeoutMs = 3000

export type QueuesConfig = Pick<Config, 'redisUrl' | 'redisTrust' | 'queuePrefix'>

/**
 * Opens the producers for all queues on a separate connection. Commands on this connection fail fast, because otherwise
 * BullMQ's `add` would hang while Redis is down. A producer sends one batch at a time, and jobs that arrive while a
 * batch is being sent go into the next batch.
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
    // A process that has just started waits for its first connection to Redis.
    const queue = inTime(connected, timeoutMs).then(() => openQueue(connection, config.queuePrefix, name, complain))
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
    /**
     * Reads and repairs the jobs stored in Redis. All functions wait for Redis, and they throw if Redis is unreachable.
     */
    standing: createStanding(connection, obtain, marker),
    /** Runs other commands on the same connection. These commands read and change state that all processes share. */
    runCommands: createRunCommands(connection, complain),
    counts: createCounts(connection, obtain),
    /**
     * Makes BullMQ add jobs to a queue on a schedule from now on. Changes nothing if an identical schedule already
     * exists, because this is called whenever a process starts, and an upsert would delete a scheduled job that is
     * overdue. Throws if Redis is unavailable.
     */
    async keepSchedule(name: QueueName, { id, pattern, tz }: Schedule): Promise<void> {
      const queue = await obtain(name)
      const known = await queue.getJobScheduler(id)
      if (known?.pattern === pattern && known.tz === tz) return
      await queue.upsertJobScheduler(id, { pattern, tz }, { name })
    },
    /** Calls `act` every time the connection to Redis becomes ready. */
    whenReady: (act: () => void): void => void connection.on('ready', act),
    /** Throws if Redis does not respond. In a cluster, this reaches the node that has the jobs. */
    ping: (): Promise<unknown> => connection.type(marker),
    async close(): Promise<void> {
      await Promise.all(queueNames.map((name) => producers[name].drained()))
      for (const queue of opened.values()) await queue.then((open) => open.close()).catch(() => undefined)
      connection.disconnect()
    },
  }
}

/**
 * Opens a queue, and throws if Redis is down. BullMQ reads Redis's version only when it opens a queue, so a queue that
 * was opened without a connection would never work.
 */
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

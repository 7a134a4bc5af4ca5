import { Queue } from 'bullmq'
import { type NewJob, type QueueName, queueNames } from '../../schemas/jobs.ts'
import type { Config } from '../config/config.ts'
import type { Log } from '../platform/log.ts'
import { inTime } from '../platform/timeout.ts'
import { createCounts } from './counts.ts'
import { openFailingFast, type RedisConnection } from './open-redis.ts'
import { createProducer, type Producer } from './producer.ts'
import { createStanding } from './standing-jobs.ts'

declare module '../platform/deps.ts' {
  interface Deps {
    queues: Queues
    enqueue: Enqueue
  }
}

/** A cron pattern with seconds first, in the time zone `tz`. */
interface Schedule {
  id: string
  pattern: string
  tz: string
}

type Command = readonly [name: string, key: string, argument: number]

/**
 * In one transaction: all or none. Returns each response, or null for a command that doesn't suit its key's value.
 * Never throws; null means that Redis is down, frozen or full, and the commands may have run.
 */
export type RunCommands = (commands: readonly Command[]) => Promise<unknown[] | null>

const createRunCommands =
  (connection: RedisConnection, complain: (fields: object) => void): RunCommands =>
  async (commands) => {
    // The connection's `error` event has logged it.
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

/** In the background. Errors are only logged: a poll finds the work of a lost job. */
export type Enqueue = <Name extends QueueName>(name: Name, jobs: NewJob<Name>[]) => void

export type Queues = ReturnType<typeof openQueues>

/** For each command. */
const timeoutMs = 3000

export type QueuesConfig = Pick<Config, 'redisUrl' | 'redisTrust' | 'queuePrefix'>

/**
 * On a connection of their own that fails fast; otherwise BullMQ's `add` would hang while Redis is down. A producer
 * sends one batch at a time, and what arrives meanwhile joins the next.
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
    // A new process waits for its first connection.
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
    /** For jobs already in Redis. Throws if Redis can't be reached. */
    standing: createStanding(connection, obtain, marker),
    /** Other commands, for state that all processes share. */
    runCommands: createRunCommands(connection, complain),
    counts: createCounts(connection, obtain),
    /**
     * Keeps an identical schedule: this runs at every start, and an upsert would delete an overdue job. Throws if Redis
     * is unavailable.
     */
    async keepSchedule(name: QueueName, { id, pattern, tz }: Schedule): Promise<void> {
      const queue = await obtain(name)
      const known = await queue.getJobScheduler(id)
      if (known?.pattern === pattern && known.tz === tz) return
      await queue.upsertJobScheduler(id, { pattern, tz }, { name })
    },
    /** Also after each reconnection. */
    whenReady: (act: () => void): void => void connection.on('ready', act),
    /** Throws if Redis doesn't respond. In a cluster, reaches the node with the jobs. */
    ping: (): Promise<unknown> => connection.type(marker),
    async close(): Promise<void> {
      await Promise.all(queueNames.map((name) => producers[name].drained()))
      for (const queue of opened.values()) await queue.then((open) => open.close()).catch(() => undefined)
      connection.disconnect()
    },
  }
}

/**
 * Throws if Redis is down. BullMQ reads Redis's version only now, so a queue opened without a connection would never
 * work.
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

import { once } from 'node:events'
import { Queue } from 'bullmq'
import { type NewJob, type QueueName, queueNames } from '../../schemas/jobs.ts'
import type { Config } from '../config/config.ts'
import { type Log, throttleLog } from '../platform/log.ts'
import { succeedsWithin } from '../platform/timeout.ts'
import { openFastFailRedis, type RedisConnection } from './open-redis.ts'
import { createJobProducer } from './producer.ts'
import { createQueueCounts } from './queue-counts.ts'
import { createStoredJobs } from './stored-jobs.ts'

type Complain = (fields: object) => void
type Command = readonly [name: string, key: string, argument: number]

/**
 * Runs all commands or none. Returns null if Redis didn't respond, in which
 * case they may still have run.
 */
export type RunCommands = (commands: readonly Command[]) => Promise<unknown[] | null>

const createRunCommands =
  (connection: RedisConnection, complain: Complain): RunCommands =>
  async (commands) => {
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

/** Only logs errors, because a poll finds the work of a lost job. */
export type EnqueueJobs = <Name extends QueueName>(name: Name, jobs: NewJob<Name>[]) => void

export type JobQueues = ReturnType<typeof openJobQueues>

const timeoutMs = 3000

type QueuesConfig = Pick<Config, 'redisUrl' | 'redisTrust' | 'queuePrefix'>
type CountDropped = (queue: QueueName, jobs: number) => void
const uncounted: CountDropped = () => undefined

/** This connection fails fast. BullMQ's own would hang while Redis is down. */
export function openJobQueues(config: QueuesConfig, log: Log, countDropped = uncounted) {
  const { connection, complain } = openFastFailRedis(config, log, timeoutMs, false)
  const connected = new Promise<void>((resolve) => {
    for (const event of ['ready', 'error', 'close']) connection.once(event, () => resolve())
  })
  const { obtain, close } = createOpener(connection, config.queuePrefix, complain, () =>
    succeedsWithin(connected, timeoutMs),
  )
  const warnOfDrop = throttleLog(60_000, (fields) => log.warn(fields, 'jobs.dropped'))
  const producers = new Map(
    queueNames.map((name) => {
      const onDrop = (jobs: number): void => {
        countDropped(name, jobs)
        warnOfDrop({ queue: name, jobs })
      }
      return [name, createJobProducer(name, () => obtain(name), complain, onDrop)]
    }),
  )
  const enqueue: EnqueueJobs = (name, jobs) => producers.get(name)?.add(jobs)
  const marker = `${config.queuePrefix}:whole`
  return {
    enqueue,
    /** These throw if Redis can't be reached. */
    storedJobs: createStoredJobs(connection, obtain, marker),
    runCommands: createRunCommands(connection, complain),
    counts: createQueueCounts(connection, obtain),
    /** Rewriting an unchanged schedule would delete an overdue job. */
    async keepSchedule(name: QueueName, schedule: { id: string; pattern: string; tz: string }) {
      const { id, pattern, tz } = schedule
      const queue = await obtain(name)
      const known = await queue.getJobScheduler(id)
      if (known?.pattern === pattern && known.tz === tz) return
      await queue.upsertJobScheduler(id, { pattern, tz }, { name })
    },
    whenReady: (act: () => void): void => void connection.on('ready', act),
    /** In a cluster, this pings the node that holds the jobs. */
    ping: (): Promise<unknown> => connection.type(marker),
    async close(): Promise<void> {
      await Promise.all([...producers.values()].map((producer) => producer.drained()))
      await close()
    },
  }
}

const boardTimeoutMs = 2000

export type JobBoardQueues = ReturnType<typeof openJobBoardQueues>

/** Staff pages have their own connection, so they never delay new jobs. */
export function openJobBoardQueues(config: QueuesConfig, log: Log) {
  const { connection, complain } = openFastFailRedis(config, log, boardTimeoutMs, true)
  const { obtain, close } = createOpener(connection, config.queuePrefix, complain, async () => {
    if (connection.status === 'ready') return
    const ready = once(connection, 'ready', { signal: AbortSignal.timeout(boardTimeoutMs) })
    if (connection.status === 'wait') connection.connect().catch(() => undefined)
    await ready
  })
  return {
    obtain: async (): Promise<ReadonlyMap<QueueName, Queue>> =>
      new Map(await Promise.all(queueNames.map(async (name) => [name, await obtain(name)] as const))),
    close,
  }
}

/** All other errors are bugs. */
export const isRedisFault = (error: unknown): boolean =>
  error instanceof Error &&
  (/^(ReplyError|MaxRetriesPerRequestError|AbortError|ClusterAllFailedError)$/.test(error.name) ||
    /Command timed out|Connection is closed|isn't (writeable|ready)|not connected|ECONN|ETIMEDOUT|redirections|sentinels/.test(
      error.message,
    ))

function createOpener(
  connection: RedisConnection,
  prefix: string,
  complain: Complain,
  ready: () => Promise<unknown>,
) {
  const opened = new Map<QueueName, Promise<Queue>>()

  async function open(name: QueueName): Promise<Queue> {
    await ready()
    // A queue opened without a connection would never work.
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

  return {
    obtain(name: QueueName): Promise<Queue> {
      const known = opened.get(name)
      if (known !== undefined) return known
      const queue = open(name)
      opened.set(name, queue)
      queue.catch(() => opened.delete(name))
      return queue
    },
    async close(): Promise<void> {
      for (const queue of opened.values()) await queue.then((each) => each.close()).catch(() => undefined)
      connection.disconnect()
    },
  }
}

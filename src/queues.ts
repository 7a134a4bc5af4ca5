import { type JobsOptions, Queue } from 'bullmq'
import { Redis } from 'ioredis'
import type { Config } from './config.ts'
import { type Jobs, type NewJob, type QueueName, queueNames, queueOptions } from './jobs.ts'
import { type Log, throttled } from './log.ts'

/** Adds jobs without making anybody wait: a lost one is found by the sweep, so a fault is logged and forgotten. */
export type Nudge = <Name extends QueueName>(name: Name, jobs: NewJob<Name>[]) => void

export interface Queues {
  nudge: Nudge
  /** Adds the jobs that are not under way, also where one of the same id has ended. Waits for Redis, and throws without it. */
  readd<Name extends QueueName>(name: Name, jobs: (NewJob<Name> & { jobId: string })[]): Promise<void>
  /** Calls back each time Redis can be used (again). */
  whenReady(act: () => void): void
  /** Whether Redis answers now. */
  isReady(): Promise<boolean>
  close(): Promise<void>
}

/** Beyond this many unsent jobs of one queue more are forgotten: Redis is away, and MongoDB remembers. */
const mostWaiting = 20_000
/** How many jobs, or ids in a relay job, one trip to Redis carries. */
const longestBatch = 500

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
  const senders = Object.fromEntries(
    queueNames.map((name) => [name, createSender(name, () => obtain(name), complain)]),
  ) as Record<QueueName, Sender>
  return {
    nudge: (name, jobs) => senders[name].add(jobs),
    async readd(name, jobs) {
      const queue = await obtain(name)
      const asked = connection.pipeline()
      for (const { jobId } of jobs) asked.hmget(queue.toKey(jobId), 'timestamp', 'finishedOn')
      const answers = (await asked.exec()) ?? []
      const inState = (...some: string[]) => jobs.filter((_, index) => some.includes(stateOf(answers[index])))
      // An id that has ended would make the add a silent no-op.
      await Promise.all(inState('ended').map(({ jobId }) => queue.remove(jobId)))
      await addAll(queue, name, inState('absent', 'ended'))
    },
    whenReady: (act) => void connection.on('ready', act),
    isReady: () =>
      connection.ping().then(
        () => true,
        () => false,
      ),
    async close() {
      await Promise.all(queueNames.map((name) => senders[name].drained()))
      for (const queue of opened.values()) await queue.then((open) => open.close()).catch(() => undefined)
      connection.disconnect()
    },
  }
}

/** BullMQ asks Redis for its version first and never again: a queue opened while Redis is away would stay broken. */
async function openQueue(
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

/** What BullMQ's hash of a job tells: it has a `timestamp` from the beginning, and `finishedOn` once it has ended. */
function stateOf(answered: [Error | null, unknown] | undefined): 'absent' | 'under way' | 'ended' {
  const [error, answer] = answered ?? [new Error('Redis gave no answer'), null]
  if (error !== null) throw error
  const [timestamp, finishedOn] = answer as (string | null)[]
  if (timestamp === null) return 'absent'
  return finishedOn === null ? 'under way' : 'ended'
}

const addAll = (queue: Queue, name: QueueName, jobs: NewJob<QueueName>[]): Promise<unknown> =>
  queue.addBulk(jobs.map((job) => ({ name, data: job.data, opts: jobOptions(name, job) })))

interface Sender {
  add(jobs: NewJob<QueueName>[]): void
  drained(): Promise<void>
}

function createSender(
  name: QueueName,
  obtain: () => Promise<Queue>,
  complain: (fields: object) => void,
): Sender {
  const waiting: NewJob<QueueName>[] = []
  let sending: Promise<void> | null = null

  async function send(): Promise<void> {
    while (waiting.length > 0) {
      const batch = merged(name, waiting.splice(0, longestBatch))
      try {
        const queue = await obtain()
        await addAll(queue, name, batch)
      } catch (err) {
        complain({ err, queue: name })
        // Redis is away: what waits would fail alike, one time-out after the other. The sweep finds it.
        waiting.length = 0
      }
    }
    sending = null
  }

  return {
    add(jobs) {
      if (waiting.length + jobs.length > mostWaiting) return
      waiting.push(...jobs)
      if (sending === null && waiting.length > 0) sending = send()
    },
    async drained() {
      await sending
    },
  }
}

/** Many one-intent nudges of the relay become one job with many ids. */
function merged(name: QueueName, jobs: NewJob<QueueName>[]): NewJob<QueueName>[] {
  if (name !== 'outbox-relay') return jobs
  const intentIds = [...new Set(jobs.flatMap((job) => (job.data as Jobs['outbox-relay']).intentIds))]
  return [{ data: { intentIds }, jobId: undefined, delayMs: 0 }]
}

function jobOptions(name: QueueName, job: NewJob<QueueName>): JobsOptions {
  return {
    ...(job.jobId === undefined ? {} : { jobId: job.jobId }),
    ...(job.delayMs > 0 ? { delay: job.delayMs } : {}),
    attempts: queueOptions[name].attempts,
    backoff: { type: 'custom' },
    stackTraceLimit: 1,
  }
}

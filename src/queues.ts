import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import type { Config } from './config.ts'
import { type NewJob, type QueueName, queueNames } from './jobs.ts'
import { type Log, throttled } from './log.ts'
import { addAll, createNudger, type Nudger } from './nudges.ts'

/** Adds jobs without making anybody wait: a lost one is found by the sweep, so a fault is logged and forgotten. */
export type Nudge = <Name extends QueueName>(name: Name, jobs: NewJob<Name>[]) => void

export interface Queues {
  nudge: Nudge
  /**
   * Adds each job unless one with its id waits or runs. One that has ended is removed first, because BullMQ ignores an add
   * with a known id. Waits for Redis, and throws without it.
   */
  readd<Name extends QueueName>(name: Name, jobs: (NewJob<Name> & { jobId: string })[]): Promise<void>
  /** Calls back each time Redis can be used (again). */
  whenReady(act: () => void): void
  /** Whether Redis answers now. */
  isReady(): Promise<boolean>
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
  const nudgers = Object.fromEntries(
    queueNames.map((name) => [name, createNudger(name, () => obtain(name), complain)]),
  ) as Record<QueueName, Nudger>
  return {
    nudge: (name, jobs) => nudgers[name].add(jobs),
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
      await Promise.all(queueNames.map((name) => nudgers[name].drained()))
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

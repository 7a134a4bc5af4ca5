import { setTimeout as pause } from 'node:timers/promises'
import type { JobsOptions, Queue } from 'bullmq'
import type { Jobs, NewJob, QueueName } from './jobs.ts'

/** Beyond this many unsent jobs of one queue more are forgotten: Redis is away, and MongoDB remembers. */
const mostWaiting = 20_000
/** How many jobs, or ids in a relay job, one trip to Redis carries. */
const longestBatch = 500
/**
 * The first wake-up of the relay is sent at once, the next one not sooner than this. A job of the relay costs a dozen trips, whether it carries one intent
 * or a hundred. So where many come, each job waits for more of them.
 */
const relayRestMs = { few: 8, many: 25 }
const manyFrom = 10

/** Adds jobs in one trip to Redis. */
export const addAll = (queue: Queue, name: QueueName, jobs: NewJob<QueueName>[]): Promise<unknown> =>
  queue.addBulk(jobs.map((job) => ({ name: job.name ?? name, data: job.data, opts: jobOptions(job) })))

/** Sends the jobs of one queue, without making anybody wait. */
export interface Nudger {
  add(jobs: NewJob<QueueName>[]): void
  drained(): Promise<void>
}

export function createNudger(
  name: QueueName,
  obtain: () => Promise<Queue>,
  complain: (fields: object) => void,
): Nudger {
  const waiting: NewJob<QueueName>[] = []
  let sending: Promise<void> | null = null

  async function send(): Promise<void> {
    while (waiting.length > 0) {
      const jobs = waiting.splice(0, longestBatch)
      await Promise.all([sendTogether(jobs), name === 'outbox-relay' && rest(jobs.length)])
    }
    sending = null
  }

  const rest = (count: number): Promise<void> => pause(count < manyFrom ? relayRestMs.few : relayRestMs.many)

  async function sendTogether(jobs: NewJob<QueueName>[]): Promise<void> {
    try {
      const queue = await obtain()
      await addAll(queue, name, merged(name, jobs))
    } catch (err) {
      complain({ err, queue: name })
      // Redis is away: what waits would fail alike, one time-out after the other. A poll finds it.
      waiting.length = 0
    }
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

/** Many nudges of the relay for one document each become one job with many ids. */
function merged(name: QueueName, jobs: NewJob<QueueName>[]): NewJob<QueueName>[] {
  if (name !== 'outbox-relay') return jobs
  const asked = jobs.map((job) => job.data as Jobs['outbox-relay'])
  const data = {
    intentIds: [...new Set(asked.flatMap(({ intentIds }) => intentIds))],
    orderIds: [...new Set(asked.flatMap(({ orderIds }) => orderIds))],
  }
  return [{ data, jobId: undefined, delayMs: 0 }]
}

/** Neither attempts nor backoff: how often a job is tried, and when again, is no business of BullMQ's (workers/run/run-job.ts). */
function jobOptions(job: NewJob<QueueName>): JobsOptions {
  return {
    ...(job.jobId === undefined ? {} : { jobId: job.jobId }),
    ...(job.delayMs > 0 ? { delay: job.delayMs } : {}),
    ...(job.freesId === undefined ? {} : { removeOnComplete: true }),
  }
}

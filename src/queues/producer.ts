import { setTimeout as pause } from 'node:timers/promises'
import type { JobsOptions, Queue } from 'bullmq'
import type { Jobs, NewJob, QueueName } from './jobs.ts'

/**
 * The maximum number of unsent jobs per queue. Further jobs are dropped. The limit is reached only while Redis is down,
 * and the polls find the work of the dropped jobs in MongoDB.
 */
const maxWaiting = 20_000
/** The maximum number of jobs that are sent to Redis in one call. Relay jobs are first merged into a single job. */
const longestBatch = 500
/**
 * The pause after sending a relay job. A relay job makes about a dozen calls to MongoDB, whether it contains one intent
 * or a hundred. If many jobs were merged into the job that was just sent, the pause is therefore longer, so that even
 * more jobs are merged into the next one.
 */
const relayRestMs = { few: 8, many: 25 }
const manyFrom = 10

/** Adds several jobs in one call to Redis. */
export const addAll = (queue: Queue, name: QueueName, jobs: NewJob<QueueName>[]): Promise<unknown> =>
  queue.addBulk(jobs.map((job) => ({ name: job.name ?? name, data: job.data, opts: jobOptions(job) })))

/** Sends the jobs of one queue to Redis in the background. */
export interface Producer {
  add(jobs: NewJob<QueueName>[]): void
  drained(): Promise<void>
}

export function createProducer(
  name: QueueName,
  obtain: () => Promise<Queue>,
  complain: (fields: object) => void,
): Producer {
  const waiting: NewJob<QueueName>[] = []
  let sending: Promise<void> | null = null

  async function send(): Promise<void> {
    while (waiting.length > 0) {
      const jobs = waiting.splice(0, longestBatch)
      await Promise.all([sendBatch(jobs), name === 'outbox-relay' && rest(jobs.length)])
    }
    sending = null
  }

  const rest = (count: number): Promise<void> => pause(count < manyFrom ? relayRestMs.few : relayRestMs.many)

  async function sendBatch(jobs: NewJob<QueueName>[]): Promise<void> {
    try {
      const queue = await obtain()
      await addAll(queue, name, merged(name, jobs))
    } catch (err) {
      complain({ err, queue: name })
      // Redis is down, so the waiting jobs are dropped. They would fail as well, and each batch would have to wait for
      // another timeout. A poll will find the work of these jobs.
      waiting.length = 0
    }
  }

  return {
    add(jobs) {
      if (waiting.length + jobs.length > maxWaiting) return
      waiting.push(...jobs)
      if (sending === null && waiting.length > 0) sending = send()
    },
    async drained() {
      await sending
    },
  }
}

/**
 * Merges relay jobs into a single job that contains the intents and orders of all these jobs. Leaves the jobs of other
 * queues unchanged.
 */
function merged(name: QueueName, jobs: NewJob<QueueName>[]): NewJob<QueueName>[] {
  if (name !== 'outbox-relay') return jobs
  const relays = jobs.map((job) => job.data as Jobs['outbox-relay'])
  const data = {
    intentIds: [...new Set(relays.flatMap(({ intentIds }) => intentIds))],
    orderIds: [...new Set(relays.flatMap(({ orderIds }) => orderIds))],
  }
  return [{ data, jobId: undefined, delayMs: 0 }]
}

/**
 * Returns the options for BullMQ. These options contain neither `attempts` nor `backoff`, because BullMQ does not
 * decide when a job is retried (workers/run/run-job.ts).
 */
function jobOptions(job: NewJob<QueueName>): JobsOptions {
  return {
    ...(job.jobId === undefined ? {} : { jobId: job.jobId }),
    ...(job.delayMs > 0 ? { delay: job.delayMs } : {}),
    ...(job.freesId === undefined ? {} : { removeOnComplete: true }),
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { JobsOptions, Queue } from 'bullmq'
import type { Jobs, NewJob, QueueName } from './jobs.ts'

/**
 * The maximum number of unsent jobs of one queue. Further jobs are dropped: Redis must be down, and the polls find the
 * work in MongoDB.
 */
const maxWaiting = 20_000
/** How many jobs one call to Redis adds. Relay jobs are merged into one first. */
const longestBatch = 500
/**
 * The pause after a relay job is sent. A relay job costs a dozen calls to MongoDB, whether it carries one intent or a
 * hundred. So when many wake-ups arrive, each job waits to collect more of them.
 */
const relayRestMs = { few: 8, many: 25 }
const manyFrom = 10

/** Adds jobs in one call to Redis. */
export const addAll = (queue: Queue, name: QueueName, jobs: NewJob<QueueName>[]): Promise<unknown> =>
  queue.addBulk(jobs.map((job) => ({ name: job.name ?? name, data: job.data, opts: jobOptions(job) })))

/** Sends the jobs of one queue in the background. */
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
      // Redis is down. The waiting jobs would fail too, one timeout after another. A poll finds their work.
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

/** Merges relay jobs for one document each into a single job for all the documents. */
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
 * Sets neither `attempts` nor `backoff`, because BullMQ does not decide when a job runs again (workers/run/run-job.ts).
 */
function jobOptions(job: NewJob<QueueName>): JobsOptions {
  return {
    ...(job.jobId === undefined ? {} : { jobId: job.jobId }),
    ...(job.delayMs > 0 ? { delay: job.delayMs } : {}),
    ...(job.freesId === undefined ? {} : { removeOnComplete: true }),
  }
}

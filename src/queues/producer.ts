import type { JobsOptions, Queue } from 'bullmq'
import { maxIntentsPerJob, type NewJob, type QueueName } from '../../schemas/jobs.ts'
import { backgroundRestMs, createBatcher } from '../mongo/batchers.ts'

/** Beyond this many unsent jobs, a queue drops new ones, because polls find their work in MongoDB. */
const maxUnsent = 20_000
/** An unsent job is dropped after this time, because a poll has found its work by then. */
const maxUnsentMs = 3_000
const longestBatch = 500
/** Longest time between the expiries in a merged job, and the interval at which these jobs are sent. */
const maxSpreadMs = 500

export const addJobs = (queue: Queue, name: QueueName, jobs: NewJob<QueueName>[]): Promise<unknown> =>
  queue.addBulk(jobs.map((job) => ({ name: job.name ?? name, data: job.data, opts: jobOptions(job) })))

export function createJobProducer(
  name: QueueName,
  obtain: () => Promise<Queue>,
  complain: (fields: object) => void,
) {
  const send = createBatcher<NewJob<QueueName>, null>(
    longestBatch,
    async (jobs) => {
      await addJobs(await obtain(), name, mergeJobs(name, jobs))
      return jobs.map(() => null)
    },
    name === 'intent-expiry' ? () => maxSpreadMs : backgroundRestMs,
  )
  const unsent = new Set<Promise<unknown>>()
  return {
    add(jobs: NewJob<QueueName>[]): void {
      if (unsent.size + jobs.length > maxUnsent) return
      for (const job of jobs) {
        const sending = send(job, performance.now() + maxUnsentMs)
          .catch((err: unknown) => complain({ err, queue: name }))
          .finally(() => unsent.delete(sending))
        unsent.add(sending)
      }
    },
    drained: async (): Promise<void> => void (await Promise.all(unsent)),
  }
}

/** Merging saves 90 % of the Redis memory that expiry jobs would take. */
export function mergeJobs(name: QueueName, jobs: NewJob<QueueName>[]): NewJob<QueueName>[] {
  if (name === 'outbox-relay') return [mergedRelay(jobs as NewJob<'outbox-relay'>[])]
  return name === 'intent-expiry' ? mergedExpiries(jobs as NewJob<'intent-expiry'>[]) : jobs
}

const mergedRelay = (jobs: NewJob<'outbox-relay'>[]): NewJob<'outbox-relay'> => ({
  data: {
    intentIds: [...new Set(jobs.flatMap(({ data }) => data.intentIds))],
    orderIds: [...new Set(jobs.flatMap(({ data }) => data.orderIds))],
  },
})

const delayOf = ({ delayMs = 0 }: NewJob<QueueName>): number => delayMs

function mergedExpiries(jobs: NewJob<'intent-expiry'>[]): NewJob<'intent-expiry'>[] {
  const groups: NewJob<'intent-expiry'>[][] = []
  for (const job of jobs.toSorted((a, b) => delayOf(a) - delayOf(b))) {
    const group = groups.at(-1)
    const isTogether = group?.[0] !== undefined && delayOf(job) - delayOf(group[0]) <= maxSpreadMs
    if (isTogether && group.length < maxIntentsPerJob) group.push(job)
    else groups.push([job])
  }
  return groups.map((group) => ({
    data: { referenceNumbers: group.flatMap(({ data }) => data.referenceNumbers) },
    delayMs: Math.max(...group.map(delayOf)),
  }))
}

/** Leaves out `attempts`, because BullMQ doesn't decide when a job is retried (workers/run/run-job.ts). */
const jobOptions = ({ jobId, delayMs, apartMs }: NewJob<QueueName>): JobsOptions => ({
  ...(jobId !== undefined && { jobId }),
  ...(delayMs && { delay: delayMs }),
  ...(jobId && apartMs && { deduplication: { id: jobId, ttl: apartMs } }),
})

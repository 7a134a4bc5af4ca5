import type { JobsOptions, Queue } from 'bullmq'
import { maxIntentsPerJob, type NewJob, type QueueName } from '../../schemas/jobs.ts'
import { backgroundRestMs, createBatcher } from '../mongo/batchers.ts'

/** Beyond this number, jobs are dropped, because polls find the work. */
const maxUnsent = 20_000
/** By then, a poll has found the work of an unsent job. */
const maxUnsentMs = 3_000
const longestBatch = 500
/** The longest time between two expiries in one job. */
const maxSpreadMs = 500

export const addJobs = (queue: Queue, name: QueueName, jobs: NewJob<QueueName>[]): Promise<unknown> =>
  queue.addBulk(jobs.map((job) => ({ name: job.name ?? name, data: job.data, opts: jobOptions(job) })))

export function createJobProducer(
  name: QueueName,
  obtain: () => Promise<Queue>,
  complain: (fields: object) => void,
  onDrop: (jobs: number) => void,
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
      if (unsent.size + jobs.length > maxUnsent) return onDrop(jobs.length)
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

/** Merging saves 90 % of the Redis memory for expiry jobs. */
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

/** We decide when a job is retried, so BullMQ gets no `attempts`. */
const jobOptions = ({ jobId, delayMs, apartMs }: NewJob<QueueName>): JobsOptions => ({
  ...(jobId !== undefined && { jobId }),
  ...(delayMs && { delay: delayMs }),
  ...(jobId && apartMs && { deduplication: { id: jobId, ttl: apartMs } }),
})

import type { Queue } from 'bullmq'
import type { Deps } from '../../deps.ts'
import { deliveryIdOf } from '../../webhooks/deliveries/delivery-job.ts'
import {
  type Requeued,
  type Requeuer,
  requeueBatch,
  requeueDeliveries,
} from '../../webhooks/deliveries/requeue.ts'

/** An answer as Bull Board's page reads it: `error` is the headline of what it shows, `message` the line below. */
export interface BoardAnswer {
  status: number
  body: { error?: string; message?: string; retried?: number; skipped?: number }
}

type RetryDeps = Pick<Deps, 'Delivery' | 'Endpoint' | 'AuditEvent' | 'now' | 'enqueue' | 'log'>

const answers: Record<Requeued, BoardAnswer> = {
  requeued: { status: 204, body: {} },
  'not-found': {
    status: 404,
    body: { error: 'This delivery is no longer kept', message: 'Nothing was sent.' },
  },
  delivered: {
    status: 409,
    body: { error: 'Delivered meanwhile', message: 'Nothing was sent. The job has left this list.' },
  },
  'under-way': {
    status: 409,
    body: { error: 'An attempt is under way already', message: 'Nothing more was queued.' },
  },
  'endpoint-gone': {
    status: 409,
    body: { error: 'The endpoint is deleted or switched off', message: 'Nothing was sent.' },
  },
}

/** After these a job in *failed* says nothing true any more. */
const isStale = (outcome: Requeued): boolean => outcome !== 'endpoint-gone'

/**
 * Retry of one job: one more attempt at its delivery, as everywhere else. MongoDB decides; the job is only the way to name
 * the delivery, and leaves *failed* when it is DEAD no longer.
 */
export async function retryJob(
  deps: RetryDeps,
  queue: Queue,
  jobId: string,
  by: Requeuer,
): Promise<BoardAnswer> {
  const id = deliveryIdOf(jobId)
  const outcome = (await requeueDeliveries(deps, [id], by)).get(id) ?? 'not-found'
  if (isStale(outcome)) await forget(deps, queue, [jobId])
  return answers[outcome]
}

/**
 * Retry of all jobs that stand in *failed* now, oldest first. Those that fail again meanwhile come behind them and are not
 * touched; pressed twice, or ended in between, it finds what is left. `skipped` needed nothing, or had nowhere to go.
 */
export async function retryAll(deps: RetryDeps, queue: Queue, by: Requeuer): Promise<BoardAnswer> {
  const total = await queue.getFailedCount()
  const found = { seen: 0, kept: 0, retried: 0 }
  while (found.seen < total) {
    const size = Math.min(requeueBatch, total - found.seen)
    const jobIds = await queue.getRanges(['failed'], found.kept, found.kept + size - 1, true)
    if (jobIds.length === 0) break
    const outcomes = await requeueDeliveries(deps, [...new Set(jobIds.map(deliveryIdOf))], by)
    const stale = jobIds.filter((jobId) => isStale(outcomes.get(deliveryIdOf(jobId)) ?? 'not-found'))
    await forget(deps, queue, stale)
    found.seen += jobIds.length
    found.kept += jobIds.length - stale.length
    found.retried += [...outcomes.values()].filter((outcome) => outcome === 'requeued').length
  }
  return { status: 200, body: { retried: found.retried, skipped: Math.max(0, found.seen - found.retried) } }
}

/** Takes jobs out of *failed*. What cannot be removed now, `restoreJobs` removes: the act itself is done. */
async function forget(deps: RetryDeps, queue: Queue, jobIds: string[]): Promise<void> {
  try {
    await Promise.all(
      jobIds.map(async (jobId) => {
        if ((await queue.getJobState(jobId)) === 'failed') await queue.remove(jobId)
      }),
    )
  } catch (err) {
    deps.log.warn({ err, queue: queue.name }, 'board.job-not-removed')
  }
}

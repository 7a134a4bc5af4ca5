import type { Queue } from 'bullmq'
import type { Deps } from '../../platform/deps.ts'
import type { Author } from '../../security/actor.ts'
import { deliveryIdOf } from '../../webhooks/deliveries/delivery.ts'
import {
  countOutcomes,
  type RequeueDeps,
  requeueBatchSize,
  requeueDeliveries,
} from '../../webhooks/deliveries/requeue.ts'
import type { RequeueOutcome } from '../../webhooks/deliveries/requeue-plan.ts'
import { nothingRequeued } from '../sentences/webhook-advice.ts'

/** The page shows `error` as the headline and `message` below it. */
export interface BoardResponse {
  status: number
  body: { error?: string; message?: string; retried?: number }
}

export const createBoardError = (status: number, error: string, message: string): BoardResponse => ({
  status,
  body: { error, message },
})

export type RetryDeps = RequeueDeps & Pick<Deps, 'log'>

const responses: Record<RequeueOutcome, BoardResponse> = {
  requeued: { status: 204, body: {} },
  not_found: createBoardError(404, 'This delivery is no longer stored', 'Nothing was re-queued.'),
  delivered: createBoardError(409, 'Already delivered', 'Nothing was re-queued. The job has left this list.'),
  under_way: createBoardError(409, 'An attempt is already due or in progress', 'Nothing was re-queued.'),
  endpoint_gone: createBoardError(409, 'The endpoint is deleted or disabled', nothingRequeued),
}

/** True if the job no longer belongs in the *failed* list. */
const isStale = (outcome: RequeueOutcome) => outcome !== 'endpoint_gone'

/** MongoDB, not the job, decides whether the delivery is still DEAD. */
export async function retryJob(deps: RetryDeps, queue: Queue, jobId: string, by: Author) {
  const id = deliveryIdOf(jobId)
  const outcome = (await requeueDeliveries(deps, [id], by)).get(id) ?? 'not_found'
  if (isStale(outcome)) await forget(deps, queue, [jobId])
  return responses[outcome]
}

/** Ignores jobs that fail in the meantime, or it might never end. */
export async function retryAllJobs(deps: RetryDeps, queue: Queue, by: Author, batch = requeueBatchSize) {
  const total = await queue.getFailedCount()
  const found = { seen: 0, kept: 0, retried: 0 }
  while (found.seen < total) {
    const size = Math.min(batch, total - found.seen)
    const jobIds = await queue.getRanges(['failed'], found.kept, found.kept + size - 1, true)
    if (jobIds.length === 0) break
    const outcomes = await requeueDeliveries(deps, [...new Set(jobIds.map(deliveryIdOf))], by)
    const stale = jobIds.filter((jobId) => isStale(outcomes.get(deliveryIdOf(jobId)) ?? 'not_found'))
    await forget(deps, queue, stale)
    found.seen += jobIds.length
    found.kept += jobIds.length - stale.length
    found.retried += countOutcomes(outcomes).requeued
  }
  const { kept, retried } = found
  if (kept === 0) return { status: 200, body: { retried } }
  const message = `${retried} were re-queued. The endpoints of the rest are deleted or disabled.`
  return { status: 409, body: { error: `${kept} deliveries were not re-queued`, message, retried } }
}

/** If Redis fails, `restoreJobs` removes the jobs later. */
async function forget(deps: RetryDeps, queue: Queue, jobIds: string[]) {
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

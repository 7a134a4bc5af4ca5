import type { Deps } from '../../deps.ts'
import { supersededJobId } from '../deliveries/delivery-job.ts'

/**
 * Removes the failed job that a delivery had before it was re-queued. An error is only logged, because the old job
 * would do nothing if it ran.
 */
export async function removeSuperseded(deps: Pick<Deps, 'queues' | 'log'>, jobId: string): Promise<void> {
  const superseded = supersededJobId(jobId)
  if (superseded === null) return
  await deps.queues.standing
    .remove('webhook-delivery', [superseded])
    .catch((err: unknown) => deps.log.warn({ err, jobId }, 'jobs.not-removed'))
}

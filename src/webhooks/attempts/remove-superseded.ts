import type { Deps } from '../../deps.ts'
import { supersededJobId } from '../deliveries/delivery-job.ts'

/**
 * Removes the failed job that existed before a delivery was re-queued. If that job ran, it would do nothing, so an
 * error here is only logged.
 */
export async function removeSuperseded(deps: Pick<Deps, 'queues' | 'log'>, jobId: string): Promise<void> {
  const superseded = supersededJobId(jobId)
  if (superseded === null) return
  await deps.queues.standing
    .remove('webhook-delivery', [superseded])
    .catch((err: unknown) => deps.log.warn({ err, jobId }, 'jobs.not-removed'))
}

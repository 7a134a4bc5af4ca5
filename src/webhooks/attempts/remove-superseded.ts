import type { Deps } from '../../deps.ts'
import { supersededJobId } from '../deliveries/delivery-job.ts'

/**
 * Removes the failed job of a delivery that has since been re-queued. That job would do nothing, so an error here is
 * only logged.
 */
export async function removeSuperseded(deps: Pick<Deps, 'queues' | 'log'>, jobId: string): Promise<void> {
  const superseded = supersededJobId(jobId)
  if (superseded === null) return
  await deps.queues.standing
    .remove('webhook-delivery', [superseded])
    .catch((err: unknown) => deps.log.warn({ err, jobId }, 'jobs.not-removed'))
}

import type { Deps } from '../../deps.ts'
import { supersededJobId } from '../deliveries/delivery-job.ts'

/**
 * Removes the failed jobs that deliveries had before they were re-queued. `jobIds` contains their current jobs. An
 * error is only logged, because the old jobs would do nothing if they ran.
 */
export async function removeSuperseded(deps: Pick<Deps, 'queues' | 'log'>, jobIds: readonly string[]): Promise<void> {
  const superseded = jobIds.flatMap((jobId) => supersededJobId(jobId) ?? [])
  if (superseded.length === 0) return
  await deps.queues.standing
    .remove('webhook-delivery', superseded)
    .catch((err: unknown) => deps.log.warn({ err, jobs: superseded.length }, 'jobs.not-removed'))
}

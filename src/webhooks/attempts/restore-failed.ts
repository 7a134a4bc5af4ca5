import type { Deps } from '../../deps.ts'
import { inBatches } from '../../mongo/in-batches.ts'
import type { Delivery } from '../deliveries/delivery.ts'
import { deliveryIdOf, deliveryJob, jobIdOf } from '../deliveries/delivery-job.ts'
import { type DeliveryRecord, recordFields } from '../deliveries/present.ts'

const queue = 'webhook-delivery'

/**
 * Ensures that every delivery that became DEAD after `since` has a failed job, because support staff look for DEAD
 * deliveries among the failed jobs. A missing job is added as a waiting job, and when the job runs, the worker finds
 * that the delivery is DEAD and fails the job. Returns how many jobs were missing.
 */
export async function restoreFailed(deps: Deps, since: Date): Promise<number> {
  const now = deps.now()
  const recent = { deadAt: { $type: 'date', $gte: since }, status: 'DEAD' } as const
  const dead = deps.Delivery.find(recent, recordFields).lean<DeliveryRecord[]>()
  let restored = 0
  await inBatches(dead.cursor({ batchSize: 1000 }), async (deliveries) => {
    const jobs = deliveries.map((delivery) =>
      deliveryJob({ ...delivery, lastAttempt: delivery.attemptLog.at(-1) }, now),
    )
    restored += await deps.queues.standing.addMissing(queue, jobs)
  })
  return restored
}

/**
 * Removes outdated failed jobs. A failed job is outdated if its delivery is no longer DEAD, or if the delivery has been
 * re-queued and has died again since.
 */
export async function dropRevived(deps: Deps): Promise<void> {
  for await (const jobIds of deps.queues.standing.failed(queue)) await dropAmong(deps, jobIds)
}

async function dropAmong(deps: Deps, jobIds: string[]): Promise<void> {
  const deliveryIds = jobIds.map(deliveryIdOf)
  const dead = await deps.Delivery.find(
    { _id: { $in: deliveryIds }, status: 'DEAD' },
    { attempts: 1, requeues: 1 },
  ).lean<Pick<Delivery, '_id' | 'attempts' | 'requeues'>[]>()
  const right = new Set(dead.map(jobIdOf))
  const wrong = jobIds.filter((id) => !right.has(id))
  if (wrong.length > 0) await deps.queues.standing.remove(queue, wrong)
}

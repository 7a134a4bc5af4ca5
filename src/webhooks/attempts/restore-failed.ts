import type { Deps } from '../../deps.ts'
import { inBatches } from '../../in-batches.ts'
import { type DeliveryLane, deliveryLanes } from '../../jobs.ts'
import type { Delivery } from '../deliveries/delivery.ts'
import { deliveryIdOf, deliveryJob, jobIdOf } from '../deliveries/delivery-job.ts'
import { deadPriority } from './priority.ts'

/**
 * Sees to it that every delivery that died since then has its failed job, where support staff look for it. Added as one that may run: the
 * worker finds it DEAD and fails it at once. Answers how many were missing.
 */
export async function restoreFailed(deps: Deps, since: Date): Promise<number> {
  const now = deps.now()
  const dead = deps.Delivery.find(
    { deadAt: { $type: 'date', $gte: since }, status: 'DEAD' },
    { event: 1, referenceNumber: 1, url: 1, redrives: 1, nextAttemptAt: 1 },
  ).lean<Delivery[]>()
  let restored = 0
  await inBatches(dead.cursor({ batchSize: 1000 }), async (deliveries) => {
    const placed = deliveries.map((delivery) => ({
      queue: 'webhook-delivery' as const,
      job: { ...deliveryJob(delivery, now), priority: deadPriority },
    }))
    restored += await deps.queues.standing.addMissing(deliveryLanes, placed)
  })
  return restored
}

/** Takes out the failed jobs whose delivery came to life again by another way. */
export async function dropRevived(deps: Deps): Promise<void> {
  for (const lane of deliveryLanes)
    for await (const jobIds of deps.queues.standing.failed(lane)) await dropAmong(deps, lane, jobIds)
}

async function dropAmong(deps: Deps, lane: DeliveryLane, jobIds: string[]): Promise<void> {
  const deliveryIds = jobIds.map(deliveryIdOf)
  const dead = await deps.Delivery.find({ _id: { $in: deliveryIds }, status: 'DEAD' }, { redrives: 1 }).lean<
    Pick<Delivery, '_id' | 'redrives'>[]
  >()
  const right = new Set(dead.map(({ _id, redrives }) => jobIdOf(_id, redrives)))
  const wrong = jobIds.filter((id) => !right.has(id))
  if (wrong.length > 0) await deps.queues.standing.remove([lane], wrong)
}

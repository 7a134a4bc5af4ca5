import type { Deps } from '../deps.ts'
import { type Requeued, type Requeuer, requeueBatch, requeueDeliveries } from './requeue.ts'

/** Which DEAD deliveries; null is any. `from` and `to` are about the moment of death, both inclusive. */
export interface DeadSearch {
  businessId: string | null
  endpointId: string | null
  from: Date | null
  to: Date | null
}

/**
 * A filter for those that were dead by `now`: whatever dies again while they are worked through is not among them, so that
 * going through them comes to an end. Only what is DEAD has a `deadAt`; saying `status` too would make MongoDB read every document,
 * and without `$type` it does not use the partial indexes.
 */
export const deadSelection = (
  { businessId, endpointId, from, to }: DeadSearch,
  now: Date,
): Record<string, unknown> => ({
  ...(businessId === null ? {} : { businessId }),
  ...(endpointId === null ? {} : { endpointId }),
  deadAt: {
    $type: 'date',
    ...(from === null ? {} : { $gte: from }),
    $lte: to === null || to > now ? now : to,
  },
})

/**
 * Re-queues all that `which` finds, as it is read, in batches of `requeueBatch`; yields what became of each batch. Stopped at any
 * point, by a `break` or a kill, it may simply run again.
 */
export async function* requeueAll(
  deps: Pick<Deps, 'Delivery' | 'Endpoint' | 'AuditEvent' | 'now' | 'nudge' | 'senders'>,
  which: Record<string, unknown>,
  by: Requeuer,
): AsyncGenerator<Map<string, Requeued>> {
  const cursor = deps.Delivery.find(which, { _id: 1 })
    .lean<{ _id: string }[]>()
    .cursor({ batchSize: requeueBatch })
  try {
    let ids: string[] = []
    for await (const { _id } of cursor) {
      ids.push(_id)
      if (ids.length < requeueBatch) continue
      yield await requeueDeliveries(deps, ids, by)
      ids = []
    }
    if (ids.length > 0) yield await requeueDeliveries(deps, ids, by)
  } finally {
    await cursor.close()
  }
}

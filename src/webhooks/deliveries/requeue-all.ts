import type { By } from '../../audit/audit-event.ts'
import { type Outcomes, requeueBatch, requeueDeliveries } from './requeue.ts'

/**
 * Re-queues all deliveries that match `filter`, in batches of `requeueBatch`, and yields the outcomes of each batch. If
 * the caller stops early or the process is killed, the function can safely be called again. `filter` must not match
 * deliveries that die after the call (`untilNow`). If it did, the run might never end, because re-queued deliveries may
 * die again.
 */
export async function* requeueAll(
  deps: Parameters<typeof requeueDeliveries>[0],
  filter: Record<string, unknown>,
  by: By,
): AsyncGenerator<Outcomes> {
  const cursor = deps.Delivery.find(filter, { _id: 1 }).lean<{ _id: string }[]>().cursor({ batchSize: requeueBatch })
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

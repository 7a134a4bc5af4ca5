import { longestReadMs } from '../../input/pagination.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import { deliveryId } from '../deliveries/delivery-id.ts'
import type { Replay } from './replay.ts'
import { countSelected, readSelected } from './selected-events.ts'
import type { PlannedReplay } from './start.ts'

/** For more events, a count would keep the database busy for too long. */
export const maxCounted = 100_000
/** The number of events in one query, which takes a few milliseconds. */
const pageSize = 1_000

/**
 * Counts the events that the endpoint has not accepted yet, which are those that a replay with `onlyUndelivered` sends.
 * This includes events whose delivery is due, which the endpoint gets without a replay. Returns null if there are more
 * than `maxCounted` events.
 */
export async function countUndelivered(
  planned: PlannedReplay,
  models: Pick<Models, 'LoggedEvent' | 'Delivery'>,
): Promise<number | null> {
  if (planned.total > maxCounted) return null
  const { endpointId } = planned
  // An event about an endpoint is never sent to that endpoint.
  let undelivered = -(await countSelected(models, planned, endpointId))
  let reached: Replay['reached'] = null
  for (;;) {
    const events = await readSelected(models, { ...planned, reached }, pageSize, { createdAt: 1 })
    const delivered = await nativeCollection(models.Delivery).countDocuments(
      { _id: { $in: events.map(({ _id }) => deliveryId(_id, endpointId)) }, status: 'DELIVERED' },
      { maxTimeMS: longestReadMs },
    )
    undelivered += events.length - delivered
    const last = events.at(-1)
    if (last === undefined || events.length < pageSize) return undelivered
    reached = { createdAt: last.createdAt, eventId: last._id }
  }
}

import type { LoggedEvent } from '../events/log.ts'
import { longestReadMs } from '../lists/pagination.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { readPage } from '../mongo/walk.ts'
import type { Models } from '../platform/deps.ts'
import { deliveryId } from '../webhooks/deliveries/delivery.ts'
import type { EventSelection, Replay } from './replay.ts'

type Log = Pick<Models, 'LoggedEvent'>

/**
 * Counts the selected events, reading only index keys. If `referenceNumber` is not null, counts only those about this
 * subject.
 */
export const countSelected = (
  { LoggedEvent }: Log,
  selection: EventSelection,
  referenceNumber: string | null = null,
): Promise<number> =>
  nativeCollection(LoggedEvent).countDocuments(
    {
      ...filterOf(selection),
      createdAt: { $gte: selection.from, $lte: selection.to },
      ...(referenceNumber !== null && { referenceNumber }),
    },
    { hint: referenceNumber === null ? index : 'byReference', maxTimeMS: longestReadMs },
  )

/** Returns the next events after `reached`, in order of time and id, with the fields in `projection`. */
export function readSelected(
  { LoggedEvent }: Log,
  selection: EventSelection & Pick<Replay, 'reached'>,
  limit: number,
  projection: Partial<Record<keyof LoggedEvent, 1>> = {},
): Promise<LoggedEvent[]> {
  const { from, to, reached } = selection
  const walk = { index, where: filterOf(selection), from, before: new Date(to.getTime() + 1) }
  const last = reached && { createdAt: reached.createdAt, _id: reached.eventId }
  return readPage(LoggedEvent, walk, last, { documents: limit, projection, maxTimeMS: longestReadMs })
}

const index = 'byTypeAndTime'

const filterOf = ({ businessId, sandbox, events, through }: EventSelection) => ({
  businessId,
  sandbox,
  event: { $in: events },
  number: { $lte: through },
})

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
  planned: EventSelection & Pick<Replay, 'endpointId' | 'total'>,
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

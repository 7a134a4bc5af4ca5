import type { LoggedEvent } from '../events/log.ts'
import { maxListReadMs } from '../lists/pagination.ts'
import { rawCollection } from '../mongo/collection.ts'
import { readWalkPage } from '../mongo/walk.ts'
import type { Models } from '../platform/deps.ts'
import { makeDeliveryId } from '../webhooks/deliveries/delivery.ts'
import type { EventSelection, Replay } from './replay.ts'

type Log = Pick<Models, 'LoggedEvent'>

export const countSelectedEvents = (
  { LoggedEvent }: Log,
  selection: EventSelection,
  referenceNumber: string | null = null,
): Promise<number> =>
  rawCollection(LoggedEvent).countDocuments(
    {
      ...filterOf(selection),
      createdAt: { $gte: selection.from, $lte: selection.to },
      ...(referenceNumber !== null && { referenceNumber }),
    },
    { hint: referenceNumber === null ? index : 'byReference', maxTimeMS: maxListReadMs },
  )

export function readSelectedEvents(
  { LoggedEvent }: Log,
  selection: EventSelection & Pick<Replay, 'reached'>,
  limit: number,
  projection: Partial<Record<keyof LoggedEvent, 1>> = {},
): Promise<LoggedEvent[]> {
  const { from, to, reached } = selection
  const walk = { index, where: filterOf(selection), from, before: new Date(to.getTime() + 1) }
  const last = reached && { createdAt: reached.createdAt, _id: reached.eventId }
  return readWalkPage(LoggedEvent, walk, last, { documents: limit, projection, maxTimeMS: maxListReadMs })
}

const index = 'byTypeAndTime'

const filterOf = ({ businessId, sandbox, events, through }: EventSelection) => ({
  businessId,
  sandbox,
  event: { $in: events },
  number: { $lte: through },
})

export const maxCountedEvents = 100_000
const pageSize = 1_000

/** Returns null if there are too many events to count. */
export async function countUndelivered(
  planned: EventSelection & Pick<Replay, 'endpointId' | 'total'>,
  models: Pick<Models, 'LoggedEvent' | 'Delivery'>,
): Promise<number | null> {
  if (planned.total > maxCountedEvents) return null
  const { endpointId } = planned
  // An endpoint never gets events about itself.
  let undelivered = -(await countSelectedEvents(models, planned, endpointId))
  let reached: Replay['reached'] = null
  for (;;) {
    const events = await readSelectedEvents(models, { ...planned, reached }, pageSize, { createdAt: 1 })
    const delivered = await rawCollection(models.Delivery).countDocuments(
      { _id: { $in: events.map(({ _id }) => makeDeliveryId(_id, endpointId)) }, status: 'DELIVERED' },
      { maxTimeMS: maxListReadMs },
    )
    undelivered += events.length - delivered
    const last = events.at(-1)
    if (last === undefined || events.length < pageSize) return undelivered
    reached = { createdAt: last.createdAt, eventId: last._id }
  }
}

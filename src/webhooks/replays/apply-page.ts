import type { EventName } from '../../../schemas/events.ts'
import type { Deps } from '../../deps.ts'
import type { LoggedEvent } from '../../events/logged-event.ts'
import { noDeadline } from '../../mongo/batching/batcher.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Delivery } from '../deliveries/delivery.ts'
import { deliveryId } from '../deliveries/delivery-id.ts'
import { newDelivery } from '../deliveries/new-delivery.ts'
import { requeueForReplay } from '../deliveries/requeue.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Replay, ReplayCounts } from './replay.ts'

/** A page of events that has been applied, with the ids of the deliveries that need an attempt. */
export interface AppliedPage {
  last: LoggedEvent
  counts: ReplayCounts
  dueIds: string[]
}

type Target = Pick<Endpoint, '_id' | 'url'>
type Existing = Pick<Delivery, '_id' | 'status' | 'insertedBy'>

/**
 * Re-queues the deliveries of events to the replay's endpoint, and inserts those that do not exist. Stops after `most`
 * deliveries that need an attempt. Each write records the id of the replay in the delivery, so events that are applied
 * twice change nothing the second time and are counted in the same way. `events` must not be empty, and `most` must be
 * at least 1.
 */
export async function applyPage(
  deps: Pick<Deps, 'Delivery' | 'Endpoint' | 'batchers' | 'now'>,
  replay: Replay,
  endpoint: Target,
  events: readonly LoggedEvent[],
  most: number,
): Promise<AppliedPage> {
  const idOf = (event: LoggedEvent) => deliveryId(event._id, endpoint._id)
  const existing = await findExisting(deps, events.map(idOf))
  const needsAttempt = (event: LoggedEvent): boolean =>
    !replay.onlyUndelivered || existing.get(idOf(event))?.status !== 'DELIVERED'
  const last = events.filter(needsAttempt)[most - 1] ?? events.at(-1)
  if (last === undefined) throw new Error('a page has no events')
  const page = events.slice(0, events.indexOf(last) + 1)
  const isOwn = (event: LoggedEvent): boolean => existing.get(idOf(event))?.insertedBy === replay._id
  // An event about an endpoint is never sent to that endpoint.
  const isAboutTarget = ({ referenceNumber }: LoggedEvent): boolean => referenceNumber === endpoint._id
  const missing = page.filter((event) => !existing.has(idOf(event)) && !isAboutTarget(event))
  const created = [...page.filter(isOwn).map(idOf), ...(await insertDeliveries(deps, replay, endpoint, missing))]
  const others = page.filter((event) => existing.has(idOf(event)) && !isOwn(event)).map(idOf)
  const includesDelivered = !replay.onlyUndelivered
  const requeued = await requeueForReplay(deps, others, { replayId: replay._id, includesDelivered })
  const skipped = page.length - requeued.length - created.length
  const counts = { requeued: requeued.length, created: created.length, skipped }
  return { last, counts, dueIds: [...requeued, ...created] }
}

async function findExisting({ Delivery }: Pick<Deps, 'Delivery'>, ids: string[]): Promise<Map<string, Existing>> {
  const found = await nativeCollection(Delivery)
    .find<Existing>({ _id: { $in: ids } }, { projection: { status: 1, insertedBy: 1 } })
    .toArray()
  return new Map(found.map((delivery) => [delivery._id, delivery]))
}

/**
 * Inserts the deliveries of events, due now. Returns the ids of those that were inserted. The relay may have inserted
 * the others in the meantime.
 */
async function insertDeliveries(
  { batchers, now }: Pick<Deps, 'batchers' | 'now'>,
  { _id: insertedBy }: Replay,
  endpoint: Target,
  events: readonly LoggedEvent[],
): Promise<string[]> {
  const inserted = await Promise.all(
    events.map(async (logged) => {
      const { _id: id, createdAt, format, facts } = logged
      const event = { id, event: logged.event as EventName, createdAt, format, facts }
      const delivery = { ...newDelivery(logged, event, endpoint, now(), null), insertedBy }
      const insertion = await batchers.insertDelivery(delivery, noDeadline)
      return insertion.inserted ? [delivery._id] : []
    }),
  )
  return inserted.flat()
}

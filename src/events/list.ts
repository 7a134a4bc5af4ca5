import { type EventName, events } from '../../schemas/events.ts'
import type { ListEventsQuery } from '../../schemas/list-events.ts'
import type { Caller } from '../businesses/caller.ts'
import { readSpan, type Span, spanFilter } from '../input/span.ts'
import type { Countable } from '../lists/counts.ts'
import { longestReadMs, type Page, type PageRequest, readPage, readPageRequest } from '../lists/pagination.ts'
import { readCountedPage } from '../lists/read-page.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import { inSlices } from '../platform/in-slices.ts'
import { bodyOf, findBodySources } from '../webhooks/body.ts'
import { findOldestEvent } from './find-oldest-event.ts'
import type { LoggedEvent } from './logged-event.ts'

/** An event as merchants see it. `body` is the webhook's body, with the event's id as its `id`. */
export interface PresentedEvent {
  id: string
  type: string
  createdAt: Date
  referenceNumber: string
  sandbox: boolean
  body: unknown
}

/**
 * Returns events as merchants see them, in the same order. Events whose intent or order no longer exists are left out,
 * because the clean-up removes an intent's events before the intent itself.
 */
export async function presentEvents(
  models: Pick<Deps, 'Intent' | 'Order'>,
  found: readonly LoggedEvent[],
): Promise<PresentedEvent[]> {
  const sources = await findBodySources(
    models,
    found.map(({ referenceNumber }) => referenceNumber),
  )
  const presented: PresentedEvent[] = []
  await inSlices(found, (logged) => {
    const { _id: id, event: type, createdAt, referenceNumber, sandbox } = logged
    const source = sources.get(referenceNumber)
    if (source === undefined) return
    const body: unknown = JSON.parse(bodyOf({ ...logged, eventAt: createdAt }, source))
    presented.push({ id, type, createdAt, referenceNumber, sandbox, body })
  })
  return presented
}

/**
 * Returns one of the caller's events. Throws EVENT_NOT_FOUND if the id is unknown, or if the event belongs to another
 * business or has been removed. Throws SANDBOX_MISMATCH if the event belongs to the other environment. Throws
 * SCOPE_REQUIRED if the key's scopes do not permit reading it. The existence of the event is no secret then, because
 * the webhooks of the business contain its id.
 */
export async function findEvent(
  deps: Pick<Deps, 'LoggedEvent' | 'Intent' | 'Order'>,
  caller: Caller,
  id: string,
): Promise<PresentedEvent> {
  const { businessId, sandbox } = caller
  const logged = await nativeCollection(deps.LoggedEvent).findOne({ _id: id, businessId })
  if (logged === null || logged.event === 'cleaned') throw refuse('EVENT_NOT_FOUND')
  if (logged.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH')
  checkReadable(caller, logged.event)
  const [presented] = await presentEvents(deps, [logged])
  if (presented === undefined) throw refuse('EVENT_NOT_FOUND')
  return presented
}

const names = Object.keys(events) as EventName[]

/** Returns the event types that the caller may read. They do not include `cleaned`. */
export const readableBy = ({ scopes }: Caller): EventName[] => names.filter((name) => scopes.has(events[name]))

/** Throws SCOPE_REQUIRED if the caller may not read events of this type. */
export function checkReadable({ scopes }: Caller, type: EventName): void {
  const scope = events[type]
  if (!scopes.has(scope)) throw refuse('SCOPE_REQUIRED', { details: { scope } })
}

/** The events to list. The span limits the times at which they happened. */
interface EventSearch extends PageRequest, Span {
  type: EventName | null
  referenceNumber: string | null
}

/** Parses the query. Throws SCOPE_REQUIRED if the caller may not read events of the given type. */
export function parseEventSearch(caller: Caller, query: ListEventsQuery): EventSearch {
  const { type = null, referenceNumber = null } = query
  if (type !== null) checkReadable(caller, type)
  return { type, referenceNumber, ...readSpan(query), ...readPageRequest(query) }
}

type Reads = Pick<Deps, 'LoggedEvent' | 'Intent' | 'Order' | 'Endpoint' | 'listCounts' | 'now'>

/**
 * Lists the events of the caller's environment that the caller may read, newest first. Events that happened at the same
 * time are ordered by id.
 */
export function listEvents(deps: Reads, caller: Caller, search: EventSearch): Promise<Page<LoggedEvent>> {
  const { businessId, sandbox } = caller
  const { type, referenceNumber } = search
  const types = type === null ? readableBy(caller) : [type]
  const ofTypes = { businessId, sandbox, event: { $in: types } }
  // Count checkpoints only work for lists that never shrink, and the clean-up removes test events.
  if (!sandbox && referenceNumber === null) {
    const countable: Countable = {
      collection: deps.LoggedEvent.collection,
      key: `live events ${businessId} ${types.join()}`,
      where: ofTypes,
      index: 'byTypeAndTime',
      keptFrom: null,
      // The relay may log an event long after it happened, such as after an outage of all workers. So checkpoints end
      // before the oldest event that has not been relayed.
      completeBefore: async () => (await findOldestEvent(deps, longestReadMs))?.createdAt ?? null,
    }
    return readCountedPage(deps, countable, search, search, {})
  }
  const where = {
    ...ofTypes,
    ...(referenceNumber === null ? {} : { referenceNumber }),
    ...spanFilter('createdAt', search),
  }
  const index = referenceNumber === null ? 'byTypeAndTime' : 'byReference'
  return readPage<LoggedEvent>(deps.LoggedEvent, { where, index }, search)
}

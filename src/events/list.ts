import type { EventName } from '../../schemas/events.ts'
import type { ListEventsQuery } from '../../schemas/list-events.ts'
import type { Caller } from '../businesses/caller.ts'
import { readSpan, type Span, within } from '../input/span.ts'
import type { Countable } from '../lists/countable.ts'
import { longestReadMs, type Page, readPage, readSlice, type Slice } from '../lists/pagination.ts'
import { readCountedPage } from '../lists/read-page.ts'
import type { Deps } from '../platform/deps.ts'
import { findOldestEvent } from './find-oldest-event.ts'
import type { LoggedEvent } from './logged-event.ts'
import { checkReadable, readableBy } from './present.ts'

/** The events to list. The span limits the times at which they happened. */
interface EventSearch extends Slice, Span {
  type: EventName | null
  referenceNumber: string | null
}

/** Parses the query. Throws SCOPE_REQUIRED if the caller may not read events of the given type. */
export function parseEventSearch(caller: Caller, query: ListEventsQuery): EventSearch {
  const { type = null, referenceNumber = null } = query
  if (type !== null) checkReadable(caller, type)
  return { type, referenceNumber, ...readSpan(query), ...readSlice(query) }
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
    ...within('createdAt', search),
  }
  const index = referenceNumber === null ? 'byTypeAndTime' : 'byReference'
  return readPage<LoggedEvent>(deps.LoggedEvent, { where, index }, search)
}

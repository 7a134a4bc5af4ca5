import { events } from '../../../schemas/events.ts'
import type { ListEventsQuery, ReadFeedQuery } from '../../../schemas/list-events.ts'
import { holdForEvent, parseFeedSearch, readFeed } from '../../events/feed/read.ts'
import { listEvents, parseEventSearch } from '../../events/list.ts'
import { findEvent, presentEvents } from '../../events/present.ts'
import type { OperationInput, Route } from '../operations/route.ts'
import { aboutEvents } from './events-openapi.ts'

/** A key with any of these scopes sees the events that the scope permits. */
const scope = { anyOf: [...new Set(Object.values(events))] }

/** The operations that read the event log. */
export const eventRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/dev/events',
    about: aboutEvents.list,
    shows: 'event',
    isPage: true,
    scope,
    run: async (deps, caller, { query }: OperationInput<ListEventsQuery>) => {
      const { items, ...page } = await listEvents(deps, caller, parseEventSearch(caller, query))
      return { items: await presentEvents(deps, items), ...page }
    },
  },
  {
    method: 'get',
    path: '/dev/events/feed',
    about: aboutEvents.feed,
    shows: 'event',
    isPage: true,
    scope,
    hold: (deps, caller, { query }: OperationInput<ReadFeedQuery>, holding) =>
      holdForEvent(deps, caller, query, holding),
    run: async (deps, caller, { query }: OperationInput<ReadFeedQuery>) => {
      const { items, ...rest } = await readFeed(deps, caller, parseFeedSearch(caller, query))
      return { items: await presentEvents(deps, items), ...rest }
    },
  },
  {
    method: 'get',
    path: '/dev/events/:id',
    about: aboutEvents.get,
    shows: 'event',
    scope,
    run: (deps, caller, { params }) => findEvent(deps, caller, params.id ?? ''),
  },
]

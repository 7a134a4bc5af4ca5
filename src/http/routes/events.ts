import * as schema from '../../../schemas/event-bodies.ts'
import * as inputs from '../../../schemas/events.ts'
import { described } from '../../../schemas/requests.ts'
import { idSchema } from '../../../schemas/responses/fields.ts'
import { parseFeedQuery, readFeedPage, waitForEvent } from '../../events/feed/read.ts'
import { findEvent, listEvents, parseEventSearch, presentEvents } from '../../events/list.ts'
import { declareOperations } from '../operations/route.ts'

/** Any of these scopes is enough, but each shows only its own events. */
const read = { anyOf: [...new Set(Object.values(inputs.eventScopes))] }

const { get, list } = declareOperations('Events', {
  read,
  params: { id: described('The `id` of the event.', idSchema) },
})

export const eventRoutes = [
  list('/dev/events', {
    operationId: 'listEvents',
    summary: 'List events',
    description:
      "Returns the events of the key's environment, newest first, even if no endpoint was subscribed to them. A key sees only events that it may subscribe an endpoint to.",
    query: inputs.listEventsQuery,
    response: schema.eventPageSchema,
    shows: 'event',
    run: async (deps, caller, { query }) => {
      const { items, ...page } = await listEvents(deps, caller, parseEventSearch(caller, query))
      return { items: await presentEvents(deps, items), ...page }
    },
  }),
  list('/dev/events/feed', {
    operationId: 'readEventFeed',
    summary: 'Follow the event feed',
    description:
      'Returns events in the order in which they were logged, oldest first. Send the `next` of each response as `after` in the next request to get every event exactly once, even if you pause for days.',
    query: inputs.readFeedQuery,
    response: schema.eventFeedSchema,
    shows: 'event',
    longPoll: (deps, caller, { query }, limits) => waitForEvent(deps, caller, query, limits),
    run: async (deps, caller, { query }) => {
      const { items, ...rest } = await readFeedPage(deps, caller, parseFeedQuery(caller, query))
      return { items: await presentEvents(deps, items), ...rest }
    },
  }),
  get('/dev/events/:id', {
    operationId: 'getEvent',
    summary: 'Retrieve an event',
    description:
      'Returns one event with the body of its webhooks, or SCOPE_REQUIRED if the key may not read its type.',
    response: schema.loggedEventSchema,
    errors: ['EVENT_NOT_FOUND', 'SANDBOX_MISMATCH'],
    shows: 'event',
    run: (deps, caller, { params }) => findEvent(deps, caller, params.id),
  }),
]

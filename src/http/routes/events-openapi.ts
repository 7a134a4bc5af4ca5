import { listEventsQuery, readFeedQuery } from '../../../schemas/list-events.ts'
import { eventFeed, eventPage, loggedEvent } from '../../../schemas/responses/event.ts'
import { described, id } from '../../../schemas/responses/fields.ts'
import { eventIdOf } from '../../webhooks/deliveries/delivery-id.ts'
import { deliveryId, withAttempts } from './deliveries-example.ts'
import { referenceNumber } from './intents-example.ts'
import { inSection, pageWith } from './openapi-text.ts'

const eventId = eventIdOf(deliveryId)

const event = {
  id: eventId,
  type: 'payment.created',
  createdAt: withAttempts.payload.created_at,
  referenceNumber,
  sandbox: true,
  body: { ...withAttempts.payload, id: eventId },
}

const feed = { items: [event], next: '1-5b0c3f9e', hasMore: false }

export const aboutEvents = inSection('Events', {
  list: {
    operationId: 'listEvents',
    summary: 'List events',
    description:
      "Returns the events of the key's environment, newest first, whether or not a webhook endpoint was subscribed to them. A key sees only the events to which it may subscribe an endpoint.",
    query: listEventsQuery,
    response: eventPage,
    example: { query: { type: 'payment.created' }, response: pageWith(event, 20) },
  },
  feed: {
    operationId: 'readEventFeed',
    summary: 'Follow the event feed',
    description:
      'Returns events in the order in which they were logged, oldest first. Send the `next` of each response as `after` in the next request. You then miss no event and get none twice, even if you pause for days. An event appears within 5 seconds. With `wait`, the service holds the request while there is no event.',
    query: readFeedQuery,
    response: eventFeed,
    example: { response: feed },
  },
  get: {
    operationId: 'getEvent',
    summary: 'Retrieve an event',
    description:
      'Returns one event with the body of its webhooks. If the key may not read events of this type, the response is SCOPE_REQUIRED.',
    params: { id: described('The `id` of the event.', id) },
    response: loggedEvent,
    errors: ['EVENT_NOT_FOUND', 'SANDBOX_MISMATCH'],
    example: { params: { id: eventId }, response: event },
  },
})

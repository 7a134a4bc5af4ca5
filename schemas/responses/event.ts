import { endpointEvents, orderEvents, paymentEvents } from '../event-bodies.ts'
import { described, eventName, id, instant, objectOf, pageOf, sandbox, shaped } from './fields.ts'

export const loggedEvent = objectOf({
  id: described(
    'The id of the event. Each webhook for the event contains it in the header that ends in `-Event-Id`.',
    id,
  ),
  type: eventName,
  createdAt: described('When the event happened.', instant),
  referenceNumber: described(
    'The number of the payment intent (`PI-…`) or of the order (`OR-…`). For `endpoint.failing`, the id of the endpoint.',
    shaped('^((PI|OR)-[0-9A-Z]{16}|[0-9a-f]{24})$', 24),
  ),
  sandbox,
  body: described('The body of the webhook, except that its `id` is the `id` of the event.', {
    oneOf: [paymentEvents, orderEvents, endpointEvents].flatMap((bodies) => Object.values(bodies)),
  }),
})

export const eventPage = pageOf(loggedEvent)

export const eventFeed = objectOf({
  items: { type: 'array', maxItems: 100, items: loggedEvent },
  next: described(
    'Send this as `after` to get the events that follow. It also skips events that the key may not read or that `type` leaves out.',
    shaped('^[0-9]{1,16}-[0-9a-f]{8}$', 25),
  ),
  hasMore: described('Whether more events are available now.', { type: 'boolean' }),
})

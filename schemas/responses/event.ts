import { endpointEvents, orderEvents, paymentEvents } from '../event-bodies.ts'
import { eventName, id, instant, objectOf, pageOf, sandbox, textMatching, withDescription } from './fields.ts'

export const loggedEventSchema = objectOf({
  id: withDescription(
    'The id of the event. Each webhook for the event contains it in the header that ends in `-Event-Id`.',
    id,
  ),
  type: eventName,
  createdAt: withDescription('When the event happened.', instant),
  referenceNumber: withDescription(
    'The number of the payment intent (`PI-…`) or of the order (`OR-…`). For `endpoint.failing`, the id of the endpoint.',
    textMatching('^((PI|OR)-[0-9A-Z]{16}|[0-9a-f]{24})$', 24),
  ),
  sandbox,
  body: withDescription('The body of the webhook, except that its `id` is the `id` of the event.', {
    oneOf: [paymentEvents, orderEvents, endpointEvents].flatMap((bodies) => Object.values(bodies)),
  }),
})

export const eventPageSchema = pageOf(loggedEventSchema)

export const eventFeedSchema = objectOf({
  items: { type: 'array', maxItems: 100, items: loggedEventSchema },
  next: withDescription(
    'Send this as `after` to get the events that follow. It also skips events that the key may not read or that `type` leaves out.',
    textMatching('^[0-9]{1,16}-[0-9a-f]{8}$', 25),
  ),
  hasMore: withDescription('Whether more events are available now.', { type: 'boolean' }),
})

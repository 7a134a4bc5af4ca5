import { deliveryStatuses } from '../list-deliveries.ts'
import { maxAttempts } from '../retry-table.ts'
import { stageOrNull, statusOrNull } from './endpoint.ts'
import {
  count,
  countOrNull,
  described,
  eventName,
  id,
  instant,
  instantOrNull,
  objectOf,
  sandbox,
  shaped,
  text,
  textOrNull,
  url,
} from './fields.ts'
import { pageOf } from './page.ts'

export const deliveryId = shaped('^[A-Za-z0-9_-]{32}$', 32)

/** The result of an endpoint test. */
export const testResult = objectOf({
  deliveryId,
  event: eventName,
  delivered: described('Whether the endpoint responded with 2xx.', { type: 'boolean' }),
  responseStatus: statusOrNull,
  durationMs: described('Milliseconds.', count),
  error: described('The stage at which the attempt failed. Null if it succeeded.', stageOrNull),
})

const fields = {
  id: described('Also the `id` in the body of every attempt.', deliveryId),
  endpointId: id,
  url: described('The URL of the last attempt. Before the first attempt, the URL of the endpoint.', {
    ...url,
    type: ['string', 'null'],
  }),
  event: eventName,
  referenceNumber: described(
    'The number of the payment intent (`PI-…`) or of the order (`OR-…`). For `endpoint.failing`, the id of the endpoint that the event is about.',
    shaped('^((PI|OR)-[0-9A-Z]{16}|[0-9a-f]{24})$', 24),
  ),
  status: { type: 'string', enum: deliveryStatuses },
  attempts: described('The number of finished attempts.', countOrNull),
  maxAttempts: described(`${maxAttempts}, plus one for each retry that was requested.`, countOrNull),
  nextAttemptAt: described(
    'The earliest time of the next attempt. Null if there will be none. During an attempt, the time is in the past.',
    instantOrNull,
  ),
  lastAttemptAt: instantOrNull,
  lastResponseStatus: statusOrNull,
  lastError: described('The stage at which the last attempt failed. Null if it succeeded.', stageOrNull),
  lastDurationMs: described('Milliseconds.', countOrNull),
  sandbox,
  createdAt: instant,
  deliveredAt: instantOrNull,
}

/** A delivery as it appears in a list. */
export const delivery = objectOf(fields)

export const deliveryAttempt = objectOf({
  at: described('When the attempt began.', instant),
  url,
  durationMs: described('Milliseconds.', count),
  responseStatus: statusOrNull,
  error: described('The stage at which the attempt failed. Null if it succeeded.', stageOrNull),
  message: described('A description of the error.', textOrNull(200)),
  responseBody: described(
    "The first 1024 bytes of your endpoint's response. Null after the clean-up, or if the key may not subscribe to the event.",
    { type: ['string', 'null'], maxLength: 1024 },
  ),
})

/**
 * A delivery as the API returns it when a single delivery is requested. It includes the body and the latest attempts.
 */
export const deliveryWithAttempts = objectOf({
  ...fields,
  lastAttemptHeaders: described(
    'The headers of the last attempt, without its signatures and without the headers of the connection, such as `Host`. Null before the first attempt.',
    { type: ['object', 'null'], additionalProperties: text(255) },
  ),
  payload: described('The body of every attempt, parsed. Null if the key may not subscribe to the event.', {
    type: ['object', 'null'],
  }),
  attemptLog: described('The latest 50 attempts, oldest first.', {
    type: 'array',
    maxItems: 50,
    items: deliveryAttempt,
  }),
})

/** The response to a request that retries a delivery. */
export const retriedDelivery = objectOf({
  ...fields,
  retried: described('Whether the service makes one more attempt now.', { type: 'boolean' }),
  reason: described(
    'Why the service makes no attempt: `delivered`, `under_way` (an attempt is due or in progress), or `endpoint_gone` (deleted or not active). Null if it makes one.',
    {
      type: ['string', 'null'],
      enum: ['delivered', 'under_way', 'endpoint_gone', null],
    },
  ),
})

/** The response to a request that retries deliveries by filter. */
export const retriedDeliveries = objectOf({
  requeued: described('The number of deliveries that get one more attempt now.', count),
  skipped: described(
    'The number of deliveries that match but get no attempt, by reason. The reasons are those of a single retry.',
    objectOf({ delivered: count, under_way: count, endpoint_gone: count }),
  ),
  hasMore: described('Whether more deliveries match.', { type: 'boolean' }),
  next: described('The `after` of the next request. Null if no more deliveries match.', textOrNull(60)),
})

export const deliveryPage = pageOf(delivery)

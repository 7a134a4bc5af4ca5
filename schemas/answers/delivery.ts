import { deliveryStatuses } from '../list-deliveries.ts'
import { stageOrNull } from './endpoint.ts'
import {
  count,
  countOrNull,
  eventName,
  id,
  instant,
  instantOrNull,
  objectOf,
  sandbox,
  saying,
  shaped,
  textOrNull,
  url,
} from './fields.ts'
import { pageOf } from './page.ts'

/** 32 characters, or the 49 of older ones. */
export const deliveryId = shaped('^([A-Za-z0-9_-]{32}|[0-9a-f]{24}-[0-9a-f]{24})$', 49)
const statusOrNull = saying('What the receiver answered; null without an answer.', {
  type: ['integer', 'null'],
  minimum: 100,
  maximum: 999,
})

/** How a test went. */
export const testResult = objectOf(
  {
    deliveryId,
    event: eventName,
    delivered: { type: 'boolean' },
    responseStatus: statusOrNull,
    durationMs: count,
    error: saying('Where it failed; null where it did not.', stageOrNull),
  },
  {},
)

const fields = {
  id: saying('The `id` in the body of every attempt.', deliveryId),
  endpointId: id,
  url: saying('The URL of the last attempt.', url),
  event: eventName,
  referenceNumber: saying(
    'The number of the intent (`PI-…`) or the order (`OR-…`).',
    shaped('^(PI|OR)-[0-9A-Z]{16}$', 19),
  ),
  status: { type: 'string', enum: deliveryStatuses },
  attempts: saying('Attempts that came to an end.', count),
  maxAttempts: saying('8, and one more for each retry that was asked for by hand.', count),
  nextAttemptAt: saying('Not before this moment; null when none will come.', instantOrNull),
  lastAttemptAt: instantOrNull,
  lastResponseStatus: statusOrNull,
  lastError: saying('Where the last attempt failed; null where it did not.', stageOrNull),
  lastDurationMs: countOrNull,
  sandbox,
  createdAt: instant,
  deliveredAt: instantOrNull,
}

/** A delivery as a list shows it. */
export const delivery = objectOf(fields, {})

export const deliveryAttempt = objectOf(
  {
    at: instant,
    url,
    durationMs: count,
    responseStatus: statusOrNull,
    error: stageOrNull,
    message: saying('A sentence about the error.', textOrNull(200)),
    responseBody: saying("The first KiB of the endpoint's response.", {
      type: ['string', 'null'],
      maxLength: 1024,
    }),
  },
  {},
)

/** One delivery with what is sent and its attempts. */
export const deliveryWithAttempts = objectOf(
  {
    ...fields,
    payload: saying('The body that is sent, parsed; null for a key that may not subscribe to its event.', {
      type: ['object', 'null'],
    }),
    attemptLog: saying('The last 50, oldest first.', { type: 'array', maxItems: 50, items: deliveryAttempt }),
  },
  {},
)

/** The answer to a retry. */
export const retriedDelivery = objectOf(
  {
    ...fields,
    retried: saying('Whether one more attempt is due now.', { type: 'boolean' }),
    reason: saying('Why not; null where it is.', {
      type: ['string', 'null'],
      enum: ['delivered', 'under_way', 'endpoint_gone', null],
    }),
  },
  {},
)

export const deliveryPage = pageOf(delivery)

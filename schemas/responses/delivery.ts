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

/** 32 characters; older ids have 49. */
export const deliveryId = shaped('^([A-Za-z0-9_-]{32}|[0-9a-f]{24}-[0-9a-f]{24})$', 49)
const statusOrNull = saying("The status of the endpoint's response; null without a response.", {
  type: ['integer', 'null'],
  minimum: 100,
  maximum: 999,
})

/** The result of a test. */
export const testResult = objectOf(
  {
    deliveryId,
    event: eventName,
    delivered: { type: 'boolean' },
    responseStatus: statusOrNull,
    durationMs: count,
    error: saying('The stage at which it failed; null if it succeeded.', stageOrNull),
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
  attempts: saying('Attempts that ended.', count),
  maxAttempts: saying('8, plus one for each retry that was requested by hand.', count),
  nextAttemptAt: saying(
    'The earliest time of the next attempt; while an attempt is in progress, a time since it began; null if there will be none.',
    instantOrNull,
  ),
  lastAttemptAt: instantOrNull,
  lastResponseStatus: statusOrNull,
  lastError: saying('The stage at which the last attempt failed; null if it succeeded.', stageOrNull),
  lastDurationMs: countOrNull,
  sandbox,
  createdAt: instant,
  deliveredAt: instantOrNull,
}

/** A delivery in a list. */
export const delivery = objectOf(fields, {})

export const deliveryAttempt = objectOf(
  {
    at: instant,
    url,
    durationMs: count,
    responseStatus: statusOrNull,
    error: stageOrNull,
    message: saying('A sentence about the error.', textOrNull(200)),
    responseBody: saying(
      "The first KiB of the endpoint's response. Null for a key that may not subscribe to the event.",
      { type: ['string', 'null'], maxLength: 1024 },
    ),
  },
  {},
)

/** One delivery with the body that is sent and its attempts. */
export const deliveryWithAttempts = objectOf(
  {
    ...fields,
    payload: saying('The body that is sent, parsed. Null for a key that may not subscribe to the event.', {
      type: ['object', 'null'],
    }),
    attemptLog: saying('The last 50 attempts, oldest first.', {
      type: 'array',
      maxItems: 50,
      items: deliveryAttempt,
    }),
  },
  {},
)

/** The response to a retry. */
export const retriedDelivery = objectOf(
  {
    ...fields,
    retried: saying('Whether one more attempt is due now.', { type: 'boolean' }),
    reason: saying('Why no attempt is due; null if one is.', {
      type: ['string', 'null'],
      enum: ['delivered', 'under_way', 'endpoint_gone', null],
    }),
  },
  {},
)

export const deliveryPage = pageOf(delivery)

import { deliveryStatuses } from '../deliveries.ts'
import { events } from '../events.ts'
import { maxAttempts } from '../retry-table.ts'
import {
  count,
  countOrNull,
  deletedBy,
  described,
  eventName,
  id,
  instant,
  instantOrNull,
  objectOf,
  orNull,
  pageOf,
  sandbox,
  shaped,
  text,
  textOrNull,
  url,
  urlOrNull,
} from './fields.ts'

/** Where an attempt can fail, as merchants see it (docs/merchants/webhooks.md). */
export const stages = [
  'status',
  'dns',
  'address',
  'connect',
  'refused',
  'tls',
  'timeout',
  'closed',
  'protocol',
  'too_large',
] as const
export type Stage = (typeof stages)[number]
export const stageOrNull = { type: ['string', 'null'], enum: [...stages, null] }
export const statusOrNull = described("The HTTP status of your endpoint's response. Null if there was no response.", {
  type: ['integer', 'null'],
  minimum: 100,
  maximum: 999,
})

export const endpointHealth = objectOf({
  lastSuccessAt: instantOrNull,
  lastFailureAt: instantOrNull,
  failuresInRow: described('The number of failed attempts since the last success.', count),
  lastError: described('The stage at which the last failed attempt failed. Null if none has failed.', stageOrNull),
})

export const lastDayOfEndpoint = objectOf({
  attempts: described(
    'The number of attempts that ended in the current hour and in the 23 hours before it. Tests are not counted. The figures may lag by a few seconds.',
    count,
  ),
  succeeded: described('How many of these attempts succeeded.', count),
  successRate: described('`succeeded` divided by `attempts`. Null if there were no attempts.', {
    type: ['number', 'null'],
    minimum: 0,
    maximum: 1,
  }),
  lastError: described(
    'The last failed attempt. Null if none failed.',
    orNull(
      objectOf({
        at: described('When the attempt ended.', instant),
        error: described('The stage at which the attempt failed.', stageOrNull),
        responseStatus: statusOrNull,
      }),
    ),
  ),
})

const endpointFields = {
  id,
  url,
  events: described('The events that the endpoint receives.', {
    type: 'array',
    maxItems: Object.keys(events).length,
    items: eventName,
  }),
  active: described('Whether the service sends events to the endpoint.', { type: 'boolean' }),
  sandbox: described('Whether a test key created the endpoint. It then gets only test events.', sandbox),
  createdAt: instant,
  health: endpointHealth,
}

/** See SPEC 2.2.. */
export const endpoint = objectOf(endpointFields)

export const listedEndpoint = objectOf({
  ...endpointFields,
  last24Hours: lastDayOfEndpoint,
})

/** For creating an endpoint or rotating its secret. */
export const endpointWithSecret = objectOf({
  ...endpointFields,
  secret: described(
    'The secret that signs the deliveries to this endpoint. Store it: no later response contains it.',
    shaped('^[0-9a-f]{64}$', 64),
  ),
  standardSecret: described(
    'The same secret in the form that the libraries of Standard Webhooks expect.',
    shaped('^whsec_[A-Za-z0-9+/]{43}=$', 50),
  ),
})

export const deletedEndpoint = deletedBy('id')
export const endpointPage = pageOf(listedEndpoint)

export const deliveryId = shaped('^[A-Za-z0-9_-]{32}$', 32)

export const testResult = objectOf({
  deliveryId,
  event: eventName,
  delivered: described('Whether the endpoint responded with 2xx.', { type: 'boolean' }),
  responseStatus: statusOrNull,
  durationMs: described('Milliseconds.', count),
  error: described('The stage at which the attempt failed. Null if it succeeded.', stageOrNull),
})

const deliveryFields = {
  id: described('Also the `id` in the body of every attempt.', deliveryId),
  endpointId: id,
  url: described('The URL of the last attempt. Before the first attempt, the URL of the endpoint.', urlOrNull),
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

export const delivery = objectOf(deliveryFields)

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

/** A single delivery, with its body and latest attempts. */
export const deliveryWithAttempts = objectOf({
  ...deliveryFields,
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

export const retriedDelivery = objectOf({
  ...deliveryFields,
  retried: described('Whether the service makes one more attempt now.', { type: 'boolean' }),
  reason: described(
    'Why the service makes no attempt: `delivered`, `under_way` (an attempt is due or in progress), or `endpoint_gone` (deleted or not active). Null if it makes one.',
    {
      type: ['string', 'null'],
      enum: ['delivered', 'under_way', 'endpoint_gone', null],
    },
  ),
})

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

export const replayStatuses = ['RUNNING', 'DONE', 'CANCELLED'] as const
export type ReplayStatus = (typeof replayStatuses)[number]

export const replayCancellations = ['requested', 'endpoint_gone'] as const
export type ReplayCancellation = (typeof replayCancellations)[number]

const replayFields = {
  id,
  endpointId: id,
  status: { type: 'string', enum: [...replayStatuses] },
  cancellationReason: described(
    'Why the replay is CANCELLED: on request, or because the endpoint was deleted or disabled. Null otherwise.',
    { type: ['string', 'null'], enum: [...replayCancellations, null] },
  ),
  from: instant,
  to: instant,
  events: described('The events that are replayed.', {
    type: 'array',
    maxItems: 100,
    items: eventName,
  }),
  onlyUndelivered: { type: 'boolean' },
  dryRun: described('True if the events were only counted.', { type: 'boolean' }),
  total: described(
    'The number of events of these types in the period, including those that `onlyUndelivered` leaves out.',
    count,
  ),
  requeued: described('The number of existing deliveries that the replay has re-queued so far.', count),
  created: described('The number of missing deliveries that the replay has created so far.', count),
  skipped: described(
    'The number of deliveries left unchanged, because they were DELIVERED (with `onlyUndelivered`) or an attempt was due.',
    count,
  ),
  sandbox,
  createdAt: instant,
  finishedAt: instantOrNull,
}

export const replay = objectOf(replayFields)

/** A dry run stores nothing, so it has no id and no status. */
export const requestedReplay = objectOf({
  ...replayFields,
  id: described('Null after a dry run.', orNull(id)),
  status: described('Null after a dry run.', {
    type: ['string', 'null'],
    enum: [...replayStatuses, null],
  }),
  undelivered: described(
    'After a dry run, the number of these events that the endpoint has not accepted yet, which `onlyUndelivered` would send. Null if `total` is more than 100 000, and for a replay that has been started.',
    countOrNull,
  ),
})

export const replayPage = pageOf(replay)

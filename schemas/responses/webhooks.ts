import { deliveryStatuses } from '../deliveries.ts'
import { events } from '../events.ts'
import { maxAttempts } from '../retry-table.ts'
import {
  count,
  countOrNull,
  deletedBy,
  eventName,
  id,
  instant,
  instantOrNull,
  nullable,
  objectOf,
  pageOf,
  sandbox,
  textMatching,
  textOrNull,
  textUpTo,
  url,
  urlOrNull,
  withDescription,
} from './fields.ts'

/** Where an attempt can fail, as merchants see it (docs/merchants/webhooks.md). */
export const failureStages = [
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
export type Stage = (typeof failureStages)[number]
export const stageOrNull = { type: ['string', 'null'], enum: [...failureStages, null] }
export const statusOrNull = withDescription(
  "The HTTP status of your endpoint's response. Null if there was no response.",
  {
    type: ['integer', 'null'],
    minimum: 100,
    maximum: 999,
  },
)

export const endpointHealthSchema = objectOf({
  lastSuccessAt: instantOrNull,
  lastFailureAt: instantOrNull,
  failuresInRow: withDescription('The number of failed attempts since the last success.', count),
  lastError: withDescription(
    'The stage at which the last failed attempt failed. Null if none has failed.',
    stageOrNull,
  ),
})

export const lastDaySchema = objectOf({
  attempts: withDescription(
    'The number of attempts that ended in the current hour and in the 23 hours before it. Tests are not counted. The figures may lag by a few seconds.',
    count,
  ),
  succeeded: withDescription('How many of these attempts succeeded.', count),
  successRate: withDescription('`succeeded` divided by `attempts`. Null if there were no attempts.', {
    type: ['number', 'null'],
    minimum: 0,
    maximum: 1,
  }),
  lastError: withDescription(
    'The last failed attempt. Null if none failed.',
    nullable(
      objectOf({
        at: withDescription('When the attempt ended.', instant),
        error: withDescription('The stage at which the attempt failed.', stageOrNull),
        responseStatus: statusOrNull,
      }),
    ),
  ),
})

const endpointFields = {
  id,
  url,
  events: withDescription('The events that the endpoint receives.', {
    type: 'array',
    maxItems: Object.keys(events).length,
    items: eventName,
  }),
  active: withDescription('Whether the service sends events to the endpoint.', { type: 'boolean' }),
  sandbox: withDescription(
    'Whether a test key created the endpoint. It then gets only test events.',
    sandbox,
  ),
  createdAt: instant,
  health: endpointHealthSchema,
}

/** See SPEC 2.2.. */
export const endpointSchema = objectOf(endpointFields)

export const listedEndpointSchema = objectOf({
  ...endpointFields,
  last24Hours: lastDaySchema,
})

/** For creating an endpoint or rotating its secret. */
export const endpointWithSecretSchema = objectOf({
  ...endpointFields,
  secret: withDescription(
    'The secret that signs the deliveries to this endpoint. Store it: no later response contains it.',
    textMatching('^[0-9a-f]{64}$', 64),
  ),
  standardSecret: withDescription(
    'The same secret in the form that the libraries of Standard Webhooks expect.',
    textMatching('^whsec_[A-Za-z0-9+/]{43}=$', 50),
  ),
})

export const deletedEndpointSchema = deletedBy('id')
export const endpointPageSchema = pageOf(listedEndpointSchema)

export const deliveryId = textMatching('^[A-Za-z0-9_-]{32}$', 32)

export const testResultSchema = objectOf({
  deliveryId,
  event: eventName,
  delivered: withDescription('Whether the endpoint responded with 2xx.', { type: 'boolean' }),
  responseStatus: statusOrNull,
  durationMs: withDescription('Milliseconds.', count),
  error: withDescription('The stage at which the attempt failed. Null if it succeeded.', stageOrNull),
})

const deliveryFields = {
  id: withDescription('Also the `id` in the body of every attempt.', deliveryId),
  endpointId: id,
  url: withDescription(
    'The URL of the last attempt. Before the first attempt, the URL of the endpoint.',
    urlOrNull,
  ),
  event: eventName,
  referenceNumber: withDescription(
    'The number of the payment intent (`PI-…`) or of the order (`OR-…`). For `endpoint.failing`, the id of the endpoint that the event is about.',
    textMatching('^((PI|OR)-[0-9A-Z]{16}|[0-9a-f]{24})$', 24),
  ),
  status: { type: 'string', enum: deliveryStatuses },
  attempts: withDescription('The number of finished attempts.', countOrNull),
  maxAttempts: withDescription(`${maxAttempts}, plus one for each retry that was requested.`, countOrNull),
  nextAttemptAt: withDescription(
    'The earliest time of the next attempt. Null if there will be none. During an attempt, the time is in the past.',
    instantOrNull,
  ),
  lastAttemptAt: instantOrNull,
  lastResponseStatus: statusOrNull,
  lastError: withDescription(
    'The stage at which the last attempt failed. Null if it succeeded.',
    stageOrNull,
  ),
  lastDurationMs: withDescription('Milliseconds.', countOrNull),
  sandbox,
  createdAt: instant,
  deliveredAt: instantOrNull,
}

export const deliverySchema = objectOf(deliveryFields)

export const deliveryAttemptSchema = objectOf({
  at: withDescription('When the attempt began.', instant),
  url,
  durationMs: withDescription('Milliseconds.', count),
  responseStatus: statusOrNull,
  error: withDescription('The stage at which the attempt failed. Null if it succeeded.', stageOrNull),
  message: withDescription('A description of the error.', textOrNull(200)),
  responseBody: withDescription(
    "The first 1024 bytes of your endpoint's response. Null after the clean-up, or if the key may not subscribe to the event.",
    { type: ['string', 'null'], maxLength: 1024 },
  ),
})

/** A single delivery, with its body and latest attempts. */
export const deliveryWithAttemptsSchema = objectOf({
  ...deliveryFields,
  lastAttemptHeaders: withDescription(
    'The headers of the last attempt, without its signatures and without the headers of the connection, such as `Host`. Null before the first attempt.',
    { type: ['object', 'null'], additionalProperties: textUpTo(255) },
  ),
  payload: withDescription(
    'The body of every attempt, parsed. Null if the key may not subscribe to the event.',
    {
      type: ['object', 'null'],
    },
  ),
  attemptLog: withDescription('The latest 50 attempts, oldest first.', {
    type: 'array',
    maxItems: 50,
    items: deliveryAttemptSchema,
  }),
})

export const retriedDeliverySchema = objectOf({
  ...deliveryFields,
  retried: withDescription('Whether the service makes one more attempt now.', { type: 'boolean' }),
  reason: withDescription(
    'Why the service makes no attempt: `delivered`, `under_way` (an attempt is due or in progress), or `endpoint_gone` (deleted or not active). Null if it makes one.',
    {
      type: ['string', 'null'],
      enum: ['delivered', 'under_way', 'endpoint_gone', null],
    },
  ),
})

export const retriedDeliveriesSchema = objectOf({
  requeued: withDescription('The number of deliveries that get one more attempt now.', count),
  skipped: withDescription(
    'The number of deliveries that match but get no attempt, by reason. The reasons are those of a single retry.',
    objectOf({ delivered: count, under_way: count, endpoint_gone: count }),
  ),
  hasMore: withDescription('Whether more deliveries match.', { type: 'boolean' }),
  next: withDescription('The `after` of the next request. Null if no more deliveries match.', textOrNull(60)),
})

export const deliveryPageSchema = pageOf(deliverySchema)

export const replayStatuses = ['RUNNING', 'DONE', 'CANCELLED'] as const
export type ReplayStatus = (typeof replayStatuses)[number]

export const replayCancellations = ['requested', 'endpoint_gone'] as const
export type ReplayCancellation = (typeof replayCancellations)[number]

const replayFields = {
  id,
  endpointId: id,
  status: { type: 'string', enum: [...replayStatuses] },
  cancellationReason: withDescription(
    'Why the replay is CANCELLED: on request, or because the endpoint was deleted or disabled. Null otherwise.',
    { type: ['string', 'null'], enum: [...replayCancellations, null] },
  ),
  from: instant,
  to: instant,
  events: withDescription('The events that are replayed.', {
    type: 'array',
    maxItems: 100,
    items: eventName,
  }),
  onlyUndelivered: { type: 'boolean' },
  dryRun: withDescription('True if the events were only counted.', { type: 'boolean' }),
  total: withDescription(
    'The number of events of these types in the period, including those that `onlyUndelivered` leaves out.',
    count,
  ),
  requeued: withDescription('The number of existing deliveries that the replay has re-queued so far.', count),
  created: withDescription('The number of missing deliveries that the replay has created so far.', count),
  skipped: withDescription(
    'The number of deliveries left unchanged, because they were DELIVERED (with `onlyUndelivered`) or an attempt was due.',
    count,
  ),
  sandbox,
  createdAt: instant,
  finishedAt: instantOrNull,
}

export const replaySchema = objectOf(replayFields)

/** A dry run stores nothing, so it has no id and no status. */
export const requestedReplaySchema = objectOf({
  ...replayFields,
  id: withDescription('Null after a dry run.', nullable(id)),
  status: withDescription('Null after a dry run.', {
    type: ['string', 'null'],
    enum: [...replayStatuses, null],
  }),
  undelivered: withDescription(
    'After a dry run, the number of these events that the endpoint has not accepted yet, which `onlyUndelivered` would send. Null if `total` is more than 100 000, and for a replay that has been started.',
    countOrNull,
  ),
})

export const replayPageSchema = pageOf(replaySchema)

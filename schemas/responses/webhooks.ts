import { deliveryStatuses, maxAttempts } from '../deliveries.ts'
import { events } from '../events.ts'
import {
  booleanSchema,
  count,
  deletedSchema,
  eventName,
  id,
  instant,
  integerSchema,
  listOf,
  nullable,
  objectOf,
  oneOf,
  orNull,
  pageSchema,
  sandboxSchema,
  subjectReference,
  textMatching,
  textOrNull,
  textUpTo,
  urlSchema,
  withDescription,
} from './fields.ts'

/** docs/merchants/webhooks.md describes each stage. */
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
export type FailureStage = (typeof failureStages)[number]
const stageOrNull = orNull(oneOf(failureStages))
const attemptError = withDescription(
  'The stage at which the attempt failed. Null if it succeeded.',
  stageOrNull,
)
export const statusOrNull = withDescription(
  "The HTTP status of your endpoint's response. Null if there was no response.",
  orNull(integerSchema(100, 999)),
)

export const endpointHealthSchema = objectOf({
  lastSuccessAt: orNull(instant),
  lastFailureAt: orNull(instant),
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
  url: urlSchema,
  events: withDescription(
    'The events that the endpoint receives.',
    listOf(eventName, Object.keys(events).length),
  ),
  active: withDescription('Whether the service sends events to the endpoint.', booleanSchema),
  sandbox: withDescription(
    'Whether a test key created the endpoint. It then gets only test events.',
    sandboxSchema,
  ),
  createdAt: instant,
  health: endpointHealthSchema,
}

export const endpointSchema = objectOf(endpointFields)

export const listedEndpointSchema = objectOf({ ...endpointFields, last24Hours: lastDaySchema })

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

export const deletedEndpointSchema = deletedSchema('id')
export const endpointPageSchema = pageSchema(listedEndpointSchema)

export const deliveryIdSchema = textMatching('^[A-Za-z0-9_-]{32}$', 32)

export const testResultSchema = objectOf({
  deliveryId: deliveryIdSchema,
  event: eventName,
  delivered: withDescription('Whether the endpoint responded with 2xx.', booleanSchema),
  responseStatus: statusOrNull,
  durationMs: withDescription('Milliseconds.', count),
  error: attemptError,
})

const deliveryFields = {
  id: withDescription('Also the `id` in the body of every attempt.', deliveryIdSchema),
  endpointId: id,
  url: withDescription(
    'The URL of the last attempt. Before the first attempt, the URL of the endpoint.',
    orNull(urlSchema),
  ),
  event: eventName,
  referenceNumber: withDescription(
    'The number of the payment intent (`PI-…`) or of the order (`OR-…`). For `endpoint.failing`, the id of the endpoint that the event is about.',
    subjectReference,
  ),
  status: oneOf(deliveryStatuses),
  attempts: withDescription('The number of finished attempts.', orNull(count)),
  maxAttempts: withDescription(`${maxAttempts}, plus one for each retry that was requested.`, orNull(count)),
  nextAttemptAt: withDescription(
    'The earliest time of the next attempt. Null if there will be none. During an attempt, the time is in the past.',
    orNull(instant),
  ),
  lastAttemptAt: orNull(instant),
  lastResponseStatus: statusOrNull,
  lastError: withDescription(
    'The stage at which the last attempt failed. Null if it succeeded.',
    stageOrNull,
  ),
  lastDurationMs: withDescription('Milliseconds.', orNull(count)),
  sandbox: sandboxSchema,
  createdAt: instant,
  deliveredAt: orNull(instant),
}

export const deliverySchema = objectOf(deliveryFields)

export const deliveryAttemptSchema = objectOf({
  at: withDescription('When the attempt began.', instant),
  url: urlSchema,
  durationMs: withDescription('Milliseconds.', count),
  responseStatus: statusOrNull,
  error: attemptError,
  message: withDescription('A description of the error.', textOrNull(200)),
  responseBody: withDescription(
    "The first 1024 bytes of your endpoint's response. Null after the clean-up, or if the key may not subscribe to the event.",
    orNull({ type: 'string', maxLength: 1024 }),
  ),
})

export const deliveryWithAttemptsSchema = objectOf({
  ...deliveryFields,
  lastAttemptHeaders: withDescription(
    'The headers of the last attempt, without its signatures and without the headers of the connection, such as `Host`. Null before the first attempt.',
    orNull({ type: 'object', additionalProperties: textUpTo(255) }),
  ),
  payload: withDescription(
    'The body of every attempt, parsed. Null if the key may not subscribe to the event.',
    orNull({ type: 'object' }),
  ),
  attemptLog: withDescription('The latest 50 attempts, oldest first.', listOf(deliveryAttemptSchema, 50)),
})

export const retriedDeliverySchema = objectOf({
  ...deliveryFields,
  retried: withDescription('Whether the service makes one more attempt now.', booleanSchema),
  reason: withDescription(
    'Why the service makes no attempt: `delivered`, `under_way` (an attempt is due or in progress), or `endpoint_gone` (deleted or not active). Null if it makes one.',
    orNull(oneOf(['delivered', 'under_way', 'endpoint_gone'])),
  ),
})

export const retriedDeliveriesSchema = objectOf({
  requeued: withDescription('The number of deliveries that get one more attempt now.', count),
  skipped: withDescription(
    'The number of deliveries that match but get no attempt, by reason. The reasons are those of a single retry.',
    objectOf({ delivered: count, under_way: count, endpoint_gone: count }),
  ),
  hasMore: withDescription('Whether more deliveries match.', booleanSchema),
  next: withDescription('The `after` of the next request. Null if no more deliveries match.', textOrNull(60)),
})

export const deliveryPageSchema = pageSchema(deliverySchema)

export const replayStatuses = ['RUNNING', 'DONE', 'CANCELLED'] as const
export type ReplayStatus = (typeof replayStatuses)[number]

export const replayCancellations = ['requested', 'endpoint_gone'] as const
export type ReplayCancellation = (typeof replayCancellations)[number]

const replayFields = {
  id,
  endpointId: id,
  status: oneOf(replayStatuses),
  cancellationReason: withDescription(
    'Why the replay is CANCELLED: on request, or because the endpoint was deleted or disabled. Null otherwise.',
    orNull(oneOf(replayCancellations)),
  ),
  from: instant,
  to: instant,
  events: withDescription('The events that are replayed.', listOf(eventName, 100)),
  onlyUndelivered: booleanSchema,
  dryRun: withDescription('True if the events were only counted.', booleanSchema),
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
  sandbox: sandboxSchema,
  createdAt: instant,
  finishedAt: orNull(instant),
}

export const replaySchema = objectOf(replayFields)

/** A dry run stores nothing, so it has no id and no status. */
export const requestedReplaySchema = objectOf({
  ...replayFields,
  id: withDescription('Null after a dry run.', nullable(id)),
  status: withDescription('Null after a dry run.', orNull(oneOf(replayStatuses))),
  undelivered: withDescription(
    'After a dry run, the number of these events that the endpoint has not accepted yet, which `onlyUndelivered` would send. Null if `total` is more than 100 000, and for a replay that has been started.',
    orNull(count),
  ),
})

export const replayPageSchema = pageSchema(replaySchema)

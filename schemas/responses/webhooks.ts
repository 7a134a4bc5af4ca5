import { deliveryStatuses, maxAttempts } from '../deliveries.ts'
import { events } from '../events.ts'
import { described } from '../requests.ts'
import * as field from './fields.ts'

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
const stageOrNull = field.orNull(field.oneOf(failureStages))
const attemptError = described('The stage at which the attempt failed. Null if it succeeded.', stageOrNull)
export const statusOrNull = described(
  "The HTTP status of your endpoint's response. Null if there was no response.",
  field.orNull(field.integerSchema(100, 999)),
)

export const endpointHealthSchema = field.objectOf({
  lastSuccessAt: field.orNull(field.instant),
  lastFailureAt: field.orNull(field.instant),
  failuresInRow: described('The number of failed attempts since the last success.', field.count),
  lastError: described(
    'The stage at which the last failed attempt failed. Null if none has failed.',
    stageOrNull,
  ),
})

export const lastDaySchema = field.objectOf({
  attempts: described(
    'The number of attempts that ended in the current hour and in the 23 hours before it. Tests are not counted. The figures may lag by a few seconds.',
    field.count,
  ),
  succeeded: described('How many of these attempts succeeded.', field.count),
  successRate: described('`succeeded` divided by `attempts`. Null if there were no attempts.', {
    type: ['number', 'null'],
    minimum: 0,
    maximum: 1,
  }),
  lastError: described(
    'The last failed attempt. Null if none failed.',
    field.nullable(
      field.objectOf({
        at: described('When the attempt ended.', field.instant),
        error: described('The stage at which the attempt failed.', stageOrNull),
        responseStatus: statusOrNull,
      }),
    ),
  ),
})

const endpointFields = {
  id: field.idSchema,
  url: field.urlSchema,
  events: described(
    'The events that the endpoint receives.',
    field.listOf(field.eventName, Object.keys(events).length),
  ),
  active: described('Whether the service sends events to the endpoint.', field.booleanSchema),
  sandbox: described(
    'Whether a test key created the endpoint. It then gets only test events.',
    field.sandboxSchema,
  ),
  createdAt: field.instant,
  health: endpointHealthSchema,
}

export const endpointSchema = field.objectOf(endpointFields)

export const listedEndpointSchema = field.objectOf({ ...endpointFields, last24Hours: lastDaySchema })

export const endpointWithSecretSchema = field.objectOf({
  ...endpointFields,
  secret: described(
    'The secret that signs the deliveries to this endpoint. Store it: no later response contains it.',
    field.textMatching('^[0-9a-f]{64}$', 64),
  ),
  standardSecret: described(
    'The same secret in the form that the libraries of Standard Webhooks expect.',
    field.textMatching('^whsec_[A-Za-z0-9+/]{43}=$', 50),
  ),
})

export const deletedEndpointSchema = field.deletedSchema('id')
export const endpointPageSchema = field.pageSchema(listedEndpointSchema)

export const deliveryIdSchema = field.textMatching('^[A-Za-z0-9_-]{32}$', 32)

export const testResultSchema = field.objectOf({
  deliveryId: deliveryIdSchema,
  event: field.eventName,
  delivered: described('Whether the endpoint responded with 2xx.', field.booleanSchema),
  responseStatus: statusOrNull,
  durationMs: described('Milliseconds.', field.count),
  error: attemptError,
})

const deliveryFields = {
  id: described('Also the `id` in the body of every attempt.', deliveryIdSchema),
  endpointId: field.idSchema,
  url: described(
    'The URL of the last attempt. Before the first attempt, the URL of the endpoint.',
    field.orNull(field.urlSchema),
  ),
  event: field.eventName,
  referenceNumber: described(
    'The number of the payment intent (`PI-…`) or of the order (`OR-…`). For `endpoint.failing`, the id of the endpoint that the event is about.',
    field.subjectReference,
  ),
  status: field.oneOf(deliveryStatuses),
  attempts: described('The number of finished attempts.', field.orNull(field.count)),
  maxAttempts: described(
    `${maxAttempts}, plus one for each retry that was requested.`,
    field.orNull(field.count),
  ),
  nextAttemptAt: described(
    'The earliest time of the next attempt. Null if there will be none. During an attempt, the time is in the past.',
    field.orNull(field.instant),
  ),
  lastAttemptAt: field.orNull(field.instant),
  lastResponseStatus: statusOrNull,
  lastError: described('The stage at which the last attempt failed. Null if it succeeded.', stageOrNull),
  lastDurationMs: described('Milliseconds.', field.orNull(field.count)),
  sandbox: field.sandboxSchema,
  createdAt: field.instant,
  deliveredAt: field.orNull(field.instant),
}

export const deliverySchema = field.objectOf(deliveryFields)

export const deliveryAttemptSchema = field.objectOf({
  at: described('When the attempt began.', field.instant),
  url: field.urlSchema,
  durationMs: described('Milliseconds.', field.count),
  responseStatus: statusOrNull,
  error: attemptError,
  message: described('A description of the error.', field.textOrNull(200)),
  responseBody: described(
    "The first 1024 bytes of your endpoint's response. Null after the clean-up, or if the key may not subscribe to the event.",
    field.orNull({ type: 'string', maxLength: 1024 }),
  ),
})

export const deliveryWithAttemptsSchema = field.objectOf({
  ...deliveryFields,
  lastAttemptHeaders: described(
    'The headers of the last attempt, without its signatures and without the headers of the connection, such as `Host`. Null before the first attempt.',
    field.orNull({ type: 'object', additionalProperties: field.textUpTo(255) }),
  ),
  payload: described(
    'The body of every attempt, parsed. Null if the key may not subscribe to the event.',
    field.orNull({ type: 'object' }),
  ),
  attemptLog: described('The latest 50 attempts, oldest first.', field.listOf(deliveryAttemptSchema, 50)),
})

export const retriedDeliverySchema = field.objectOf({
  ...deliveryFields,
  retried: described('Whether the service will make one more attempt now.', field.booleanSchema),
  reason: described(
    'Why the service will make no attempt: `delivered`, `under_way` (an attempt is due or in progress), or `endpoint_gone` (deleted or not active). Null if it will make one.',
    field.orNull(field.oneOf(['delivered', 'under_way', 'endpoint_gone'])),
  ),
})

export const retriedDeliveriesSchema = field.objectOf({
  requeued: described('The number of deliveries that get one more attempt now.', field.count),
  skipped: described(
    'The number of deliveries that match but get no attempt, by reason. The reasons are those of a single retry.',
    field.objectOf({ delivered: field.count, under_way: field.count, endpoint_gone: field.count }),
  ),
  hasMore: described('Whether more deliveries match.', field.booleanSchema),
  next: described('The `after` of the next request. Null if no more deliveries match.', field.textOrNull(60)),
})

export const deliveryPageSchema = field.pageSchema(deliverySchema)

export const replayStatuses = ['RUNNING', 'DONE', 'CANCELLED'] as const
export type ReplayStatus = (typeof replayStatuses)[number]

const replayCancellations = ['requested', 'endpoint_gone'] as const
export type ReplayCancellation = (typeof replayCancellations)[number]

const replayFields = {
  id: field.idSchema,
  endpointId: field.idSchema,
  status: field.oneOf(replayStatuses),
  cancellationReason: described(
    'Why the replay is CANCELLED: on request, or because the endpoint was deleted or disabled. Null otherwise.',
    field.orNull(field.oneOf(replayCancellations)),
  ),
  from: field.instant,
  to: field.instant,
  events: described('The events that are replayed.', field.listOf(field.eventName, 100)),
  onlyUndelivered: field.booleanSchema,
  dryRun: described('True if the events were only counted.', field.booleanSchema),
  total: described(
    'The number of events of these types in the period, including those that `onlyUndelivered` leaves out.',
    field.count,
  ),
  requeued: described('The number of existing deliveries that the replay has re-queued so far.', field.count),
  created: described('The number of missing deliveries that the replay has created so far.', field.count),
  skipped: described(
    'The number of deliveries left unchanged, because they were DELIVERED (with `onlyUndelivered`) or an attempt was due.',
    field.count,
  ),
  sandbox: field.sandboxSchema,
  createdAt: field.instant,
  finishedAt: field.orNull(field.instant),
}

export const replaySchema = field.objectOf(replayFields)

/** A dry run stores nothing, so it has no id and no status. */
export const requestedReplaySchema = field.objectOf({
  ...replayFields,
  id: described('Null after a dry run.', field.nullable(field.idSchema)),
  status: described('Null after a dry run.', field.orNull(field.oneOf(replayStatuses))),
  undelivered: described(
    'After a dry run, the number of these events that the endpoint has not accepted yet, which `onlyUndelivered` would send. Null if `total` is more than 100 000, and for a replay that has been started.',
    field.orNull(field.count),
  ),
})

export const replayPageSchema = field.pageSchema(replaySchema)

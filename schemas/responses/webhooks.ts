import { deliveryStatuses, maxAttempts } from '../deliveries.ts'
import { eventScopes } from '../events.ts'
import { described } from '../requests.ts'
import * as field from './fields.ts'

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
const stageOrNull = field.nullableType(field.enumSchema(failureStages))
const attemptError = described('The stage at which the attempt failed. Null if it succeeded.', stageOrNull)
export const responseStatusSchema = described(
  "The HTTP status of your endpoint's response. Null if there was no response.",
  field.nullableType(field.integerSchema(100, 999)),
)

export const endpointHealthSchema = field.objectSchema({
  lastSuccessAt: field.nullableType(field.instantSchema),
  lastFailureAt: field.nullableType(field.instantSchema),
  failuresInRow: described('The number of failed attempts since the last success.', field.countSchema),
  lastError: described(
    'The stage at which the last failed attempt failed. Null if none has failed.',
    stageOrNull,
  ),
})

export const lastDaySchema = field.objectSchema({
  attempts: described(
    'The number of attempts that ended in the current hour and in the 23 hours before it. Tests are not counted. The figures may lag by a few seconds.',
    field.countSchema,
  ),
  succeeded: described('How many of these attempts succeeded.', field.countSchema),
  successRate: described('`succeeded` divided by `attempts`. Null if there were no attempts.', {
    type: ['number', 'null'],
    minimum: 0,
    maximum: 1,
  }),
  lastError: described(
    'The last failed attempt. Null if none failed.',
    field.nullableSchema(
      field.objectSchema({
        at: described('When the attempt ended.', field.instantSchema),
        error: described('The stage at which the attempt failed.', stageOrNull),
        responseStatus: responseStatusSchema,
      }),
    ),
  ),
})

const endpointFields = {
  id: field.idSchema,
  url: field.urlSchema,
  events: described(
    'The events that the endpoint receives.',
    field.listSchema(field.eventNameSchema, Object.keys(eventScopes).length),
  ),
  active: described('Whether the service sends events to the endpoint.', field.booleanSchema),
  sandbox: described(
    'Whether a test key created the endpoint. It then gets only test events.',
    field.sandboxSchema,
  ),
  createdAt: field.instantSchema,
  health: endpointHealthSchema,
}

export const endpointSchema = field.objectSchema(endpointFields)

export const listedEndpointSchema = field.objectSchema({ ...endpointFields, last24Hours: lastDaySchema })

export const endpointWithSecretSchema = field.objectSchema({
  ...endpointFields,
  secret: described(
    'The secret that signs the deliveries to this endpoint. Store it: no later response contains it.',
    field.patternSchema('^[0-9a-f]{64}$', 64),
  ),
  standardSecret: described(
    'The same secret in the form that the libraries of Standard Webhooks expect.',
    field.patternSchema('^whsec_[A-Za-z0-9+/]{43}=$', 50),
  ),
})

export const deletedEndpointSchema = field.deletedSchema('id')
export const endpointPageSchema = field.pageSchema(listedEndpointSchema)

export const deliveryIdSchema = field.patternSchema('^[A-Za-z0-9_-]{32}$', 32)

export const testResultSchema = field.objectSchema({
  deliveryId: deliveryIdSchema,
  event: field.eventNameSchema,
  delivered: described('Whether the endpoint responded with 2xx.', field.booleanSchema),
  responseStatus: responseStatusSchema,
  durationMs: described('Milliseconds.', field.countSchema),
  error: attemptError,
})

const deliveryFields = {
  id: described('Also the `id` in the body of every attempt.', deliveryIdSchema),
  endpointId: field.idSchema,
  url: described(
    'The URL of the last attempt. Before the first attempt, the URL of the endpoint.',
    field.nullableType(field.urlSchema),
  ),
  event: field.eventNameSchema,
  referenceNumber: described(
    'The number of the payment intent (`PI-…`) or of the order (`OR-…`). For `endpoint.failing`, the id of the endpoint that the event is about.',
    field.subjectSchema,
  ),
  status: field.enumSchema(deliveryStatuses),
  attempts: described('The number of finished attempts.', field.nullableType(field.countSchema)),
  maxAttempts: described(
    `${maxAttempts}, plus one for each retry that was requested.`,
    field.nullableType(field.countSchema),
  ),
  nextAttemptAt: described(
    'The earliest time of the next attempt. Null if there will be none. During an attempt, the time is in the past.',
    field.nullableType(field.instantSchema),
  ),
  lastAttemptAt: field.nullableType(field.instantSchema),
  lastResponseStatus: responseStatusSchema,
  lastError: described('The stage at which the last attempt failed. Null if it succeeded.', stageOrNull),
  lastDurationMs: described('Milliseconds.', field.nullableType(field.countSchema)),
  sandbox: field.sandboxSchema,
  createdAt: field.instantSchema,
  deliveredAt: field.nullableType(field.instantSchema),
}

export const deliverySchema = field.objectSchema(deliveryFields)

export const deliveryAttemptSchema = field.objectSchema({
  at: described('When the attempt began.', field.instantSchema),
  url: field.urlSchema,
  durationMs: described('Milliseconds.', field.countSchema),
  responseStatus: responseStatusSchema,
  error: attemptError,
  message: described('A description of the error.', field.nullableText(200)),
  responseBody: described(
    "The first 1024 bytes of your endpoint's response. Null after the clean-up, or if the key may not subscribe to the event.",
    field.nullableType({ type: 'string', maxLength: 1024 }),
  ),
})

export const deliveryWithAttemptsSchema = field.objectSchema({
  ...deliveryFields,
  lastAttemptHeaders: described(
    'The headers of the last attempt, without its signatures and without the headers of the connection, such as `Host`. Null before the first attempt.',
    field.nullableType({ type: 'object', additionalProperties: field.textSchema(255) }),
  ),
  payload: described(
    'The body of every attempt, parsed. Null if the key may not subscribe to the event.',
    field.nullableType({ type: 'object' }),
  ),
  attemptLog: described('The latest 50 attempts, oldest first.', field.listSchema(deliveryAttemptSchema, 50)),
})

export const retriedDeliverySchema = field.objectSchema({
  ...deliveryFields,
  retried: described('Whether the service will make one more attempt now.', field.booleanSchema),
  reason: described(
    'Why the service will make no attempt: `delivered`, `under_way` (an attempt is due or in progress), or `endpoint_gone` (deleted or not active). Null if it will make one.',
    field.nullableType(field.enumSchema(['delivered', 'under_way', 'endpoint_gone'])),
  ),
})

export const retriedDeliveriesSchema = field.objectSchema({
  requeued: described('The number of deliveries that get one more attempt now.', field.countSchema),
  skipped: described(
    'The number of deliveries that match but get no attempt, by reason. The reasons are those of a single retry.',
    field.objectSchema({
      delivered: field.countSchema,
      under_way: field.countSchema,
      endpoint_gone: field.countSchema,
    }),
  ),
  hasMore: described('Whether more deliveries match.', field.booleanSchema),
  next: described(
    'The `after` of the next request. Null if no more deliveries match.',
    field.nullableText(60),
  ),
})

export const deliveryPageSchema = field.pageSchema(deliverySchema)

export const replayStatuses = ['RUNNING', 'DONE', 'CANCELLED'] as const
export type ReplayStatus = (typeof replayStatuses)[number]

const replayCancellations = ['requested', 'endpoint_gone'] as const
export type ReplayCancellation = (typeof replayCancellations)[number]

const replayFields = {
  id: field.idSchema,
  endpointId: field.idSchema,
  status: field.enumSchema(replayStatuses),
  cancellationReason: described(
    'Why the replay is CANCELLED: on request, or because the endpoint was deleted or disabled. Null otherwise.',
    field.nullableType(field.enumSchema(replayCancellations)),
  ),
  from: field.instantSchema,
  to: field.instantSchema,
  events: described('The events that are replayed.', field.listSchema(field.eventNameSchema, 100)),
  onlyUndelivered: field.booleanSchema,
  dryRun: described('True if the events were only counted.', field.booleanSchema),
  total: described(
    'The number of events of these types in the period, including those that `onlyUndelivered` leaves out.',
    field.countSchema,
  ),
  requeued: described(
    'The number of existing deliveries that the replay has re-queued so far.',
    field.countSchema,
  ),
  created: described(
    'The number of missing deliveries that the replay has created so far.',
    field.countSchema,
  ),
  skipped: described(
    'The number of deliveries left unchanged, because they were DELIVERED (with `onlyUndelivered`) or an attempt was due.',
    field.countSchema,
  ),
  sandbox: field.sandboxSchema,
  createdAt: field.instantSchema,
  finishedAt: field.nullableType(field.instantSchema),
}

export const replaySchema = field.objectSchema(replayFields)

export const requestedReplaySchema = field.objectSchema({
  ...replayFields,
  id: described('Null after a dry run.', field.nullableSchema(field.idSchema)),
  status: described('Null after a dry run.', field.nullableType(field.enumSchema(replayStatuses))),
  undelivered: described(
    'After a dry run, the number of these events that the endpoint has not accepted yet, which `onlyUndelivered` would send. Null if `total` is more than 100 000, and for a replay that has been started.',
    field.nullableType(field.countSchema),
  ),
})

export const replayPageSchema = field.pageSchema(replaySchema)

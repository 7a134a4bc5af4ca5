import { maxCustomHeaders, maxHeaderName } from '../custom-header.ts'
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
  'proxy',
] as const
export type FailureStage = (typeof failureStages)[number]
const stageOrNull = field.nullableType(field.enumSchema(failureStages))
const attemptError = described('The stage at which the attempt failed. Null if it succeeded.', stageOrNull)
export const responseStatusSchema = described(
  "The HTTP status of your endpoint's response. Null if there was no response.",
  field.nullableType(field.integerSchema(100, 999)),
)

export const endpointHealthSchema = field.objectSchema({
  lastSuccessAt: field.nullableInstant,
  lastFailureAt: field.nullableInstant,
  failuresInRow: described('The number of failed attempts since the last success.', field.countSchema),
  lastError: described('The stage of the last failure. Null if there was none.', stageOrNull),
})

export const lastDaySchema = field.objectSchema({
  attempts: described(
    'The number of attempts that ended in this hour and the 23 hours before it, excluding tests. It may lag by a few seconds.',
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
  active: described(
    'If false, it gets no events, and deliveries that fall due become CANCELLED.',
    field.booleanSchema,
  ),
  headerNames: described(
    'The names of your own headers. Their values are never shown.',
    field.listSchema(field.textSchema(maxHeaderName), maxCustomHeaders),
  ),
  sandbox: described('If true, the endpoint receives only test events.', field.sandboxSchema),
  createdAt: field.instantSchema,
  health: endpointHealthSchema,
}

export const endpointSchema = field.objectSchema(endpointFields)

export const listedEndpointSchema = field.objectSchema({ ...endpointFields, last24Hours: lastDaySchema })

export const endpointWithSecretSchema = field.objectSchema({
  ...endpointFields,
  secret: described(
    'Signs the deliveries to this endpoint. Store it: no later response contains it.',
    field.patternSchema('^[0-9a-f]{64}$', 64),
  ),
  standardSecret: described(
    'The same secret for libraries that support Standard Webhooks.',
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
    'The URL of the last attempt. Before the first one, the URL of the endpoint.',
    field.nullableType(field.urlSchema),
  ),
  event: field.eventNameSchema,
  referenceNumber: field.subjectSchema,
  status: field.enumSchema(deliveryStatuses),
  attempts: described('The number of finished attempts.', field.nullableCount),
  maxAttempts: described(`${maxAttempts}, plus one for each requested retry.`, field.nullableCount),
  nextAttemptAt: described(
    'When the next attempt is due: in the past during an attempt, or null if none follows.',
    field.nullableInstant,
  ),
  lastAttemptAt: field.nullableInstant,
  lastResponseStatus: responseStatusSchema,
  lastError: described('The stage at which the last attempt failed. Null if it succeeded.', stageOrNull),
  lastDurationMs: described('Milliseconds.', field.nullableCount),
  sandbox: field.sandboxSchema,
  createdAt: field.instantSchema,
  deliveredAt: field.nullableInstant,
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
    'The headers of the last attempt, without signatures or connection headers such as `Host`. Null before the first attempt.',
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
    'Why there will be no attempt: `delivered`, `under_way` (due or in progress) or `endpoint_gone` (deleted or not active). Null if there will be one.',
    field.nullableType(field.enumSchema(['delivered', 'under_way', 'endpoint_gone'])),
  ),
})

export const retriedDeliveriesSchema = field.objectSchema({
  requeued: described('The number of deliveries that get one more attempt now.', field.countSchema),
  skipped: described(
    'The number of matching deliveries that get no attempt, by reason.',
    field.objectSchema({
      delivered: field.countSchema,
      under_way: field.countSchema,
      endpoint_gone: field.countSchema,
    }),
  ),
  hasMore: described('Whether more deliveries match.', field.booleanSchema),
  next: described('The `after` for the next request, or null.', field.nullableText(60)),
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
    'Why the replay is CANCELLED, or null. `endpoint_gone`: the endpoint was deleted or disabled.',
    field.nullableType(field.enumSchema(replayCancellations)),
  ),
  from: field.instantSchema,
  to: field.instantSchema,
  events: described('The events that are replayed.', field.listSchema(field.eventNameSchema, 100)),
  onlyUndelivered: field.booleanSchema,
  dryRun: described('True if the events were only counted.', field.booleanSchema),
  total: described('The number of matching events in the period, including skipped ones.', field.countSchema),
  requeued: described('The number of deliveries re-queued so far.', field.countSchema),
  created: described('The number of missing deliveries created so far.', field.countSchema),
  skipped: described(
    'The number that were already due or, with `onlyUndelivered`, DELIVERED.',
    field.countSchema,
  ),
  sandbox: field.sandboxSchema,
  createdAt: field.instantSchema,
  finishedAt: field.nullableInstant,
}

export const replaySchema = field.objectSchema(replayFields)

export const requestedReplaySchema = field.objectSchema({
  ...replayFields,
  id: described('Null after a dry run.', field.nullableSchema(field.idSchema)),
  status: described('Null after a dry run.', field.nullableType(field.enumSchema(replayStatuses))),
  undelivered: described(
    'After a dry run, the number of events that `onlyUndelivered` would send. Null after a real replay, or if `total` is more than 100,000.',
    field.nullableCount,
  ),
})

export const replayPageSchema = field.pageSchema(replaySchema)

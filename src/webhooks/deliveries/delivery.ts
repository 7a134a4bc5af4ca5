import type { DeliveryStatus } from '../../../schemas/deliveries.ts'
import { declareCollection, ifDate, ifPresent, type Stored } from '../../mongo/declare.ts'
import { date, flag, list, type Of, oneOf, optional, orNull, part, text, whole } from '../../mongo/fields.ts'
import { causedFields } from '../../outbox/event.ts'
import { recordedFields } from '../../outbox/facts.ts'

/**
 * `stage` is where the attempt failed, or null if it succeeded. `responseText` is the beginning of the response, until
 * the clean-up removes it (src/retention).
 */
const attemptFields = part({
  at: date,
  /** The URL of this attempt. It may differ from the delivery's, because merchants can change it. */
  url: text,
  durationMs: whole,
  status: orNull(whole),
  stage: orNull(text),
  error: orNull(text),
  responseText: optional(orNull(text)),
})
export type AttemptRecord = Of<typeof attemptFields>

/**
 * The delivery of one event to one endpoint. `_id` is composed of the ids of the event and the endpoint, so relaying an
 * event twice creates only one delivery.
 */
export const deliveries = declareCollection({
  name: 'deliveries',
  kept: 'test data until the clean-up, live data forever, though old ones only with their last attempt',
  fields: {
    _id: text,
    endpointId: text,
    businessId: text,
    sandbox: flag,
    event: text,
    /** When the event happened. The body contains this time as `created_at`. */
    eventAt: date,
    referenceNumber: text,
    /** The URL that the endpoint had when the delivery was created. */
    url: text,
    status: oneOf<DeliveryStatus>(),
    /** The number of attempts with a recorded result. An attempt that was interrupted does not count. */
    attempts: whole,
    /** The manually requested attempts. They come on top of those in the retry table. */
    requeues: whole,
    /** `attempts` at the last re-queue. While they're equal, the requested attempt has no result yet. */
    attemptsAtRequeue: optional(whole),
    /**
     * From when a worker may claim the delivery: the time of the next attempt or, while one is in flight, the end of
     * its lease. Null if the status is DELIVERED, DEAD or CANCELLED.
     */
    nextAttemptAt: orNull(date),
    /** The token of the attempt in flight. Only the holder of this token may record a result. */
    leaseToken: orNull(text),
    /** Oldest first. Of an old delivery, the clean-up keeps only the last attempt (src/retention). */
    attemptLog: list(attemptFields),
    /**
     * The HTTP status of the last attempt if it failed with a response, except of test events at live endpoints. So the
     * index `byFailureStatus` contains only failures, and a delivery that succeeds at once never enters it.
     */
    failureStatus: optional(whole),
    /** Makes the clean-up check it again, because it was open when reached, or was re-queued. */
    untrimmed: optional(flag),
    createdAt: date,
    deliveredAt: orNull(date),
    deadAt: orNull(date),
    cancelledAt: optional(date),
    /** The replay that inserted the delivery. Missing if the relay did. */
    insertedBy: optional(text),
    /** The last replay that re-queued it. */
    requeuedBy: optional(text),
    ...recordedFields.fields,
    ...causedFields.fields,
  },
  indexes: [
    // These two indexes contain only open deliveries, because only open deliveries have a `nextAttemptAt`. The poll
    // uses `open` to find due deliveries. `openByEndpoint` is used to find the due deliveries of an endpoint that has
    // been waiting for slots. Both queries read only index keys.
    {
      name: 'open',
      key: { nextAttemptAt: 1, businessId: 1, endpointId: 1, _id: 1 },
      ...ifDate('nextAttemptAt'),
    },
    { name: 'openByEndpoint', key: { endpointId: 1, nextAttemptAt: 1, _id: 1 }, ...ifDate('nextAttemptAt') },
    // These four indexes contain every field by which a merchant can filter the list, except `referenceNumber`, so that
    // deliveries can be counted without reading any documents.
    { name: 'byTimeAndEvent', key: { businessId: 1, sandbox: 1, createdAt: -1, _id: -1, event: 1 } },
    {
      name: 'byEndpointAndTime',
      key: { endpointId: 1, createdAt: -1, _id: -1, sandbox: 1, event: 1, businessId: 1 },
    },
    {
      name: 'byStatus',
      key: { businessId: 1, sandbox: 1, status: 1, createdAt: -1, _id: -1, event: 1, endpointId: 1 },
    },
    {
      name: 'byFailureStatus',
      key: {
        businessId: 1,
        sandbox: 1,
        failureStatus: 1,
        createdAt: -1,
        _id: -1,
        status: 1,
        event: 1,
        endpointId: 1,
      },
      ...ifPresent('failureStatus'),
    },
    { name: 'byReference', key: { referenceNumber: 1 } },
    // These two indexes contain only DEAD deliveries. `deadByTime` contains all fields that `groupDead` needs for
    // counting, so that counting does not read any documents.
    {
      name: 'deadByTime',
      key: { deadAt: -1, businessId: 1, endpointId: 1, sandbox: 1 },
      ...ifDate('deadAt'),
    },
    { name: 'deadByEndpoint', key: { endpointId: 1, deadAt: -1 }, ...ifDate('deadAt') },
    // The clean-up uses this index to find the deliveries that it must check again. The index contains very few
    // deliveries.
    {
      name: 'untrimmedByTime',
      key: { businessId: 1, nextAttemptAt: 1, createdAt: 1 },
      partialFilterExpression: { untrimmed: true },
    },
  ],
})
export type Delivery = Stored<typeof deliveries>

/** Returns the URL's host and port, for display. */
export const hostOf = ({ url }: Pick<Delivery, 'url'>): string => URL.parse(url)?.host ?? '…'

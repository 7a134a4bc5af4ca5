import type { Model } from 'mongoose'
import type { DeliveryStatus } from '../../../schemas/deliveries.ts'
import { type Collection, ifDate, ifPresent } from '../../mongo/collection.ts'
import { type Caused, causedFields } from '../../outbox/event.ts'
import { type Recorded, recordedFields } from '../../outbox/facts.ts'

declare module '../../platform/deps.ts' {
  interface Models {
    Delivery: Model<Delivery>
  }
}

/**
 * One attempt. `stage` is the stage at which the attempt failed, or null if the attempt succeeded. `responseText` is
 * the beginning of the response, until the clean-up removes it (src/retention).
 */
export interface AttemptRecord {
  at: Date
  /**
   * The URL to which this attempt was sent. It may differ from the delivery's `url`, because merchants can change the
   * URL of an endpoint.
   */
  url: string
  durationMs: number
  status: number | null
  stage: string | null
  error: string | null
  responseText?: string | null
}

/**
 * The delivery of one event to one endpoint. `_id` is composed of the ids of the event and the endpoint, so relaying an
 * event twice creates only one delivery.
 */
export interface Delivery extends Recorded, Caused {
  _id: string
  endpointId: string
  businessId: string
  sandbox: boolean
  event: string
  /** When the event happened. The body contains this time as `created_at`. */
  eventAt: Date
  referenceNumber: string
  /** The URL that the endpoint had when the delivery was created. */
  url: string
  status: DeliveryStatus
  /** The number of attempts with a recorded result. An attempt that was interrupted does not count. */
  attempts: number
  /** The number of manually requested attempts, which are made in addition to the attempts in the retry table. */
  requeues: number
  /**
   * The value of `attempts` at the last re-queue. As long as `attempts` still has this value, the requested attempt has
   * no result yet.
   */
  attemptsAtRequeue?: number
  /**
   * The time from which a worker may claim the delivery. This is the time of the next attempt or, if an attempt is in
   * flight, the end of its lease. The field is null if the status is DELIVERED, DEAD or CANCELLED, because no further
   * attempt is planned in these states.
   */
  nextAttemptAt: Date | null
  /** The token of the attempt in flight. Only the holder of this token may record a result. */
  leaseToken: string | null
  /**
   * The recorded attempts, oldest first. Once the delivery is old, the clean-up keeps only the last attempt
   * (src/retention).
   */
  attemptLog: AttemptRecord[]
  /**
   * The HTTP status of the last attempt, if that attempt failed with a response. Test events at live endpoints and all
   * other deliveries lack this field. The index `byFailureStatus` therefore contains only failures, and a delivery that
   * succeeds at once never enters it.
   */
  failureStatus?: number
  /**
   * True if the clean-up must check a live delivery again. This is necessary if the delivery was open when the clean-up
   * reached it, and also after a re-queue.
   */
  untrimmed?: boolean
  createdAt: Date
  deliveredAt: Date | null
  /** When the last attempt at a DEAD delivery failed. The field is null if the delivery is not DEAD. */
  deadAt: Date | null
  /** When a CANCELLED delivery was cancelled. The field is missing if the delivery is not CANCELLED. */
  cancelledAt?: Date
  /** The id of the replay that inserted the delivery. The field is missing if the relay inserted it. */
  insertedBy?: string
  /** The id of the last replay that re-queued the delivery. */
  requeuedBy?: string
}

export const deliveries: Collection = {
  name: 'deliveries',
  fields: {
    _id: String,
    endpointId: String,
    businessId: String,
    sandbox: Boolean,
    event: String,
    eventAt: Date,
    referenceNumber: String,
    url: String,
    ...recordedFields,
    status: String,
    attempts: Number,
    requeues: Number,
    attemptsAtRequeue: Number,
    nextAttemptAt: Date,
    leaseToken: String,
    attemptLog: [
      {
        _id: false,
        at: Date,
        url: String,
        durationMs: Number,
        status: Number,
        stage: String,
        error: String,
        responseText: String,
      },
    ],
    failureStatus: Number,
    untrimmed: Boolean,
    createdAt: Date,
    deliveredAt: Date,
    deadAt: Date,
    cancelledAt: Date,
    insertedBy: String,
    requeuedBy: String,
    ...causedFields,
  },
  indexes: [
    // These two indexes contain only open deliveries, because only open deliveries have a `nextAttemptAt`. The poll
    // uses `open` to find due deliveries. `openByEndpoint` is used to find the due deliveries of an endpoint that has
    // been waiting for slots. Both queries read only index keys.
    { name: 'open', key: { nextAttemptAt: 1, businessId: 1, endpointId: 1, _id: 1 }, ...ifDate('nextAttemptAt') },
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
    { name: 'deadByTime', key: { deadAt: -1, businessId: 1, endpointId: 1, sandbox: 1 }, ...ifDate('deadAt') },
    { name: 'deadByEndpoint', key: { endpointId: 1, deadAt: -1 }, ...ifDate('deadAt') },
    // The clean-up uses this index to find the deliveries that it must check again. The index contains very few
    // deliveries.
    {
      name: 'untrimmedByTime',
      key: { businessId: 1, nextAttemptAt: 1, createdAt: 1 },
      partialFilterExpression: { untrimmed: true },
    },
  ],
}

/** Returns the URL's host and port, for display. */
export const hostOf = ({ url }: Pick<Delivery, 'url'>): string => URL.parse(url)?.host ?? '…'

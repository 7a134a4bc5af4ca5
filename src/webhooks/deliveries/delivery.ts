import type { DeliveryStatus } from '../../../schemas/list-deliveries.ts'
import { type AuditEvent, unauditedFields, unauditedIndex } from '../../audit/audit-event.ts'
import type { Collection } from '../../mongo/collection.ts'
import { type Caused, causedFields } from '../../outbox/event.ts'
import { parseUrl } from '../../polyfills/parse-url.ts'
import { type Recorded, recordedFields } from '../body/facts.ts'

/**
 * One attempt. `stage`: where the attempt failed, or null. `responseText`: the beginning of the response, until the
 * clean-up removes it (src/retention).
 */
export interface AttemptRecord {
  at: Date
  /** The URL of this attempt. It may differ from the delivery's, because the merchant may change it. */
  url: string
  durationMs: number
  status: number | null
  stage: string | null
  error: string | null
  responseText?: string | null
}

/** One event for one endpoint. `_id` consists of both ids, so relaying an event twice creates only one delivery. */
export interface Delivery extends Recorded, Caused {
  _id: string
  endpointId: string
  businessId: string
  sandbox: boolean
  event: string
  /** When the event happened. `created_at` in the body. */
  eventAt: Date
  referenceNumber: string
  /** The endpoint's URL when the delivery was created. */
  url: string
  status: DeliveryStatus
  /** The number of attempts with a recorded result. An attempt that was cut short does not count. */
  attempts: number
  /** The number of manual re-queues. Each adds one attempt to those of the retry table. */
  requeues: number
  /** The value of `attempts` at the last re-queue. While the two are equal, the requested attempt has no result. */
  attemptsAtRequeue?: number
  /**
   * When a worker may claim the delivery: the time of the next attempt, or the end of the lease while an attempt is in
   * flight. Null if the status allows no attempt: DELIVERED, DEAD or CANCELLED.
   */
  nextAttemptAt: Date | null
  /** The token of the attempt in flight. Only its holder may record a result. */
  leaseToken: string | null
  /** For an old delivery, the clean-up keeps only the last attempt (src/retention). */
  attemptLog: AttemptRecord[]
  /**
   * True for a live delivery that had not ended when the clean-up reached it, or that was re-queued. The clean-up must
   * check it again.
   */
  untrimmed?: boolean
  createdAt: Date
  deliveredAt: Date | null
  /** When the last attempt at a DEAD delivery failed, otherwise null. */
  deadAt: Date | null
  /** Effect ids of the re-queues, so that a retried request finds its own re-queue. */
  effects: string[]
  /** Audit lines that are not in the audit trail yet. */
  unaudited: AuditEvent[]
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
    untrimmed: Boolean,
    createdAt: Date,
    deliveredAt: Date,
    deadAt: Date,
    effects: [String],
    unaudited: unauditedFields,
    ...causedFields,
  },
  indexes: [
    // Open deliveries: only these have a `nextAttemptAt`. `open` serves the poll, and `openByEndpoint` serves endpoints
    // that are waiting for slots. Both queries read only index keys.
    {
      name: 'open',
      key: { nextAttemptAt: 1, businessId: 1, endpointId: 1, _id: 1 },
      partialFilterExpression: { nextAttemptAt: { $type: 'date' } },
    },
    {
      name: 'openByEndpoint',
      key: { endpointId: 1, nextAttemptAt: 1, _id: 1 },
      partialFilterExpression: { nextAttemptAt: { $type: 'date' } },
    },
    // These three indexes contain every field that a merchant's list can filter by, so that counting reads no
    // documents.
    { name: 'byTimeAndEvent', key: { businessId: 1, sandbox: 1, createdAt: -1, _id: -1, event: 1 } },
    {
      name: 'byEndpointAndTime',
      key: { endpointId: 1, createdAt: -1, _id: -1, sandbox: 1, event: 1, businessId: 1 },
    },
    {
      name: 'byStatus',
      key: { businessId: 1, sandbox: 1, status: 1, createdAt: -1, _id: -1, event: 1, endpointId: 1 },
    },
    { name: 'byReference', key: { referenceNumber: 1 } },
    // These two indexes contain only DEAD deliveries. `deadByTime` contains all fields that `groupDead` needs, so that
    // it reads no documents.
    {
      name: 'deadByTime',
      key: { deadAt: -1, businessId: 1, endpointId: 1, sandbox: 1 },
      partialFilterExpression: { deadAt: { $type: 'date' } },
    },
    {
      name: 'deadByEndpoint',
      key: { endpointId: 1, deadAt: -1 },
      partialFilterExpression: { deadAt: { $type: 'date' } },
    },
    // This index serves the clean-up and contains very few deliveries.
    {
      name: 'untrimmedByTime',
      key: { businessId: 1, nextAttemptAt: 1, createdAt: 1 },
      partialFilterExpression: { untrimmed: true },
    },
    unauditedIndex,
  ],
}

/** Returns the host and port of a URL, to be shown to people. */
export const hostOf = ({ url }: Pick<Delivery, 'url'>): string => parseUrl(url)?.host ?? url

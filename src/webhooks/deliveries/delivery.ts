import type { DeliveryStatus } from '../../../schemas/list-deliveries.ts'
import { type AuditEvent, unauditedFields, unauditedIndex } from '../../audit/audit-event.ts'
import type { Collection } from '../../collection.ts'
import { parseUrl } from '../../parse-url.ts'
import { type Recorded, recordedFields } from '../body/facts.ts'
import { type Caused, causedFields } from '../event.ts'

/** How often a delivery is tried (SPEC 6.4). */
export const maxAttempts = 8

/** One attempt as it went. `stage` says where it failed, `answer` is the beginning of what the receiver said: gone with the clean-up (src/retention). */
export interface AttemptRecord {
  at: Date
  /** Where it went: an endpoint may have moved since the event came. */
  url: string
  durationMs: number
  status: number | null
  stage: string | null
  error: string | null
  answer?: string | null
}

/** One event on its way to one endpoint, with what caused the event. `_id` = event id and endpoint id, so relaying twice makes one. */
export interface Delivery extends Recorded, Caused {
  _id: string
  endpointId: string
  businessId: string
  sandbox: boolean
  event: string
  /** When the event happened: `created_at` of the body. */
  eventAt: Date
  referenceNumber: string
  /** Where the endpoint was when the event came. */
  url: string
  status: DeliveryStatus
  /** Attempts that reached an end; one cut short by a dying process does not count. */
  attempts: number
  /** How often it was re-queued by hand; each adds one attempt to those of the retry table. */
  redrives: number
  /** `attempts` at the last re-queue; as long as it is the same, the attempt asked for is still to come. */
  askedAfterAttempts?: number
  /**
   * When a worker may attempt it: the time of the next attempt, or, while a worker is attempting it, the end of that lease. Null when no attempt
   * will come: DELIVERED, DEAD or CANCELLED.
   */
  nextAttemptAt: Date | null
  /** Of the attempt in flight. Only its holder records a result. */
  leaseToken: string | null
  /** Of an old one only the last is left (src/retention). */
  attemptLog: AttemptRecord[]
  /** Live, and it had not ended when the clean-up came by, or was sent again by hand: the clean-up comes again once it is old. */
  untrimmed?: boolean
  createdAt: Date
  deliveredAt: Date | null
  /** When its last attempt failed, while it is DEAD. */
  deadAt: Date | null
  /** Ids of the acts that re-queued it, so that a retry of one finds its own. */
  effects: string[]
  /** Lines for the audit trail that are not there yet. */
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
    redrives: Number,
    askedAfterAttempts: Number,
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
        answer: String,
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
    // Open deliveries, the only ones whose nextAttemptAt is a date. By time for the poll, by endpoint for slots that become free. Both looks read
    // no document.
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
    // These three contain every filter of a merchant's list, so that the list is counted without reading documents.
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
    // Successful deliveries never enter these two. All that the list of DEAD ones groups by, so that it is counted without reading a
    // document.
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
    // For the clean-up alone; hardly any is in it.
    {
      name: 'untrimmedByTime',
      key: { businessId: 1, nextAttemptAt: 1, createdAt: 1 },
      partialFilterExpression: { untrimmed: true },
    },
    unauditedIndex,
  ],
}

/** Host and port of the endpoint when the event came, for people. */
export const hostOf = ({ url }: Pick<Delivery, 'url'>): string => parseUrl(url)?.host ?? url

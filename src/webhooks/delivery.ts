import type { Collection } from '../collection.ts'

/** How often a delivery is tried (SPEC 6.4). */
export const maxAttempts = 8

export type DeliveryStatus = 'PENDING' | 'RETRYING' | 'DELIVERED' | 'DEAD' | 'CANCELLED'

/** One attempt as it went. `stage` says where it failed, `answer` is the beginning of what the receiver said. */
export interface AttemptRecord {
  at: Date
  durationMs: number
  status: number | null
  stage: string | null
  error: string | null
  answer: string | null
}

/** One event on its way to one endpoint. `_id` = event id and endpoint id, so relaying twice makes one. */
export interface Delivery {
  _id: string
  eventId: string
  endpointId: string
  businessId: string
  sandbox: boolean
  event: string
  referenceNumber: string
  /** The receiver as it was when the event came, for people who look at the queue. */
  host: string
  /** The exact bytes that are signed and sent, frozen at the moment of the event. */
  body: string
  status: DeliveryStatus
  /** Attempts that reached an end; one cut short by a dying process does not count. */
  attempts: number
  /** When the next attempt may start; null when none will come: DELIVERED, DEAD or CANCELLED. */
  nextAttemptAt: Date | null
  /** Who is attempting it now, and until when that is believed. */
  lease: { token: string; until: Date } | null
  attemptLog: AttemptRecord[]
  createdAt: Date
  deliveredAt: Date | null
}

export const deliveries: Collection = {
  name: 'deliveries',
  fields: {
    _id: String,
    eventId: String,
    endpointId: String,
    businessId: String,
    sandbox: Boolean,
    event: String,
    referenceNumber: String,
    host: String,
    body: String,
    status: String,
    attempts: Number,
    nextAttemptAt: Date,
    lease: { type: { _id: false, token: String, until: Date }, default: null },
    attemptLog: [
      {
        _id: false,
        at: Date,
        durationMs: Number,
        status: Number,
        stage: String,
        error: String,
        answer: String,
      },
    ],
    createdAt: Date,
    deliveredAt: Date,
  },
  indexes: [
    // Only what is still under way has a nextAttemptAt that is a date.
    { name: 'due', key: { nextAttemptAt: 1 }, partialFilterExpression: { nextAttemptAt: { $type: 'date' } } },
    { name: 'byTime', key: { businessId: 1, sandbox: 1, createdAt: -1, _id: -1 } },
  ],
}

export const deliveryId = (eventId: string, endpointId: string): string => `${eventId}-${endpointId}`

export const endpointIdOf = (id: string): string => id.slice(id.indexOf('-') + 1)

/** The statuses in which an attempt may still come. */
export const openStatuses = ['PENDING', 'RETRYING'] as const satisfies readonly DeliveryStatus[]

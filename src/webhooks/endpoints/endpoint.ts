import type { Model } from 'mongoose'
import type { EventName } from '../../../schemas/events.ts'
import { type Collection, ifDate } from '../../mongo/collection.ts'
import { type OutboxEvent, outboxFields, outboxIndex } from '../../outbox/event.ts'

declare module '../../platform/deps.ts' {
  interface Models {
    Endpoint: Model<Endpoint>
  }
}

/**
 * The slots for a business's endpoints. The number of slots is the maximum number of endpoints per business (SPEC 4.8,
 * rule 1).
 */
export const endpointSlots = [0, 1, 2, 3, 4] as const

/**
 * A summary of the results of the attempts at an endpoint. A process that has not used the endpoint recently derives
 * its window from it (attempts/slots.ts).
 */
export interface EndpointHealth {
  lastSuccessAt: Date | null
  lastFailureAt: Date | null
  /** How long the most recent successful attempt took. */
  lastDurationMs?: number
  /** The number of failed attempts since the last successful one. */
  failuresInRow: number
  /** The stage at which the most recent failed attempt failed (docs/merchants/webhooks.md). */
  lastError: string | null
  /** The HTTP status of the most recent failed attempt. Null if no response arrived. */
  lastStatus: number | null
  /**
   * The time of the first failed attempt since the last successful one. Null if the last attempt was successful. A new
   * URL and a reactivation also set it to null, so that only failed attempts after that count.
   */
  failingSince: Date | null
}

/** The attempts at an endpoint that ended within one hour. */
export interface AttemptHour {
  /** The start of the hour. */
  hour: Date
  attempts: number
  succeeded: number
}

/** A failure that has been reported with an `endpoint.failing` event, and whose end has not been reported yet. */
export interface ReportedFailure {
  /** The value of `health.failingSince` when the failure was reported. */
  since: Date
  /** The time of the first successful attempt after the report. */
  recoveredAt?: Date
}

/** The health of an endpoint that has had no attempts yet. */
export const untried: EndpointHealth = {
  lastSuccessAt: null,
  lastFailureAt: null,
  failuresInRow: 0,
  lastError: null,
  lastStatus: null,
  failingSince: null,
}

/**
 * A secret that has been replaced by a rotation. Until `validUntil`, attempts are signed with this secret as well as
 * with the current one.
 */
export interface PreviousSecret {
  secret: string
  validUntil: Date
}

/** A stored endpoint (SPEC 2.2). */
export interface Endpoint {
  _id: string
  businessId: string
  /** The environment of the key that created the endpoint. It never changes. */
  sandbox: boolean
  /**
   * One of `endpointSlots`. Each slot is unique within the business, so that concurrent requests can never create a
   * sixth endpoint. The field is missing if the endpoint has been deleted.
   */
  slot?: number
  url: string
  events: EventName[]
  /** The current secret, in sealed form. The unsealed secret consists of 64 hex characters. */
  secret: string
  /** The replaced secrets, newest first. */
  previousSecrets: PreviousSecret[]
  active: boolean
  /** When the endpoint was deleted, or null. A deleted endpoint is kept as long as it has deliveries. */
  deletedAt: Date | null
  /** When the latest replay was started. */
  replayedAt?: Date
  health: EndpointHealth
  /** The latest attempts by hour, at most one item per hour of the day (last-day.ts). */
  attemptHours: Record<string, AttemptHour>
  reportedFailure: ReportedFailure | null
  /** The event that has not been relayed yet. The next event is added only after this one has been relayed. */
  outbox: OutboxEvent[]
  createdAt: Date
  updatedAt: Date
}

export const endpoints: Collection = {
  name: 'webhookendpoints',
  fields: {
    _id: String,
    businessId: String,
    sandbox: Boolean,
    slot: Number,
    url: String,
    events: [String],
    secret: String,
    previousSecrets: [{ _id: false, secret: String, validUntil: Date }],
    active: Boolean,
    deletedAt: Date,
    replayedAt: Date,
    health: {
      lastSuccessAt: Date,
      lastFailureAt: Date,
      lastDurationMs: Number,
      failuresInRow: Number,
      lastError: String,
      lastStatus: Number,
      failingSince: Date,
    },
    attemptHours: Object,
    reportedFailure: {
      type: { _id: false, since: Date, recoveredAt: Date },
      default: null,
    },
    outbox: outboxFields,
    createdAt: Date,
    updatedAt: Date,
  },
  indexes: [
    {
      name: 'slotInUse',
      key: { businessId: 1, slot: 1 },
      unique: true,
      partialFilterExpression: { slot: { $type: 'number' } },
    },
    { name: 'byTime', key: { businessId: 1, createdAt: -1, _id: -1 } },
    { name: 'deletions', key: { businessId: 1, deletedAt: -1, _id: -1 }, ...ifDate('deletedAt') },
    // The poll for failures uses these two indexes (report-failures.ts). The first one finds endpoints whose failure
    // has not been reported, and the second one those whose failure has been reported.
    {
      name: 'unreported',
      key: { 'reportedFailure.since': 1, 'health.failingSince': 1 },
      partialFilterExpression: {
        slot: { $type: 'number' },
        active: true,
        'health.failingSince': { $type: 'date' },
      },
    },
    {
      name: 'reported',
      key: { 'reportedFailure.recoveredAt': 1, active: 1 },
      partialFilterExpression: { slot: { $type: 'number' }, 'reportedFailure.since': { $type: 'date' } },
    },
    outboxIndex,
  ],
}

/**
 * A filter for endpoints that have not been deleted. The filter allows MongoDB to use the `slotInUse` index, which
 * contains no deleted endpoints. This matters because a business may have many deleted endpoints.
 */
export const standing: Record<string, unknown> = { slot: { $type: 'number' } }

/** Whether the endpoint gets events of an environment. A live endpoint gets those of both (SPEC 6.2). */
export const accepts = (endpoint: Pick<Endpoint, 'sandbox'>, event: { sandbox: boolean }): boolean =>
  event.sandbox || !endpoint.sandbox

/** Whether events may be sent to the endpoint, which means that it is neither deleted nor disabled. */
export const isReceiving = (endpoint: Pick<Endpoint, 'active' | 'deletedAt'>): boolean =>
  endpoint.active && endpoint.deletedAt === null

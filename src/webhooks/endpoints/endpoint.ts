import type { EventName } from '../../../schemas/events.ts'
import { declareCollection, ifDate, type Stored } from '../../mongo/declare.ts'
import {
  anything,
  date,
  flag,
  list,
  type Of,
  oneOf,
  optional,
  orNull,
  part,
  secret,
  text,
  whole,
} from '../../mongo/fields.ts'
import { outboxFields, outboxIndex } from '../../outbox/event.ts'

/** As many as a business may have endpoints (SPEC 4.8, rule 1). */
export const endpointSlots = [0, 1, 2, 3, 4] as const

/** A process derives its first window from them (attempts/slots.ts). */
const healthFields = part({
  lastSuccessAt: orNull(date),
  lastFailureAt: orNull(date),
  lastDurationMs: optional(whole),
  failuresInRow: whole,
  /** A stage of docs/merchants/webhooks.md. */
  lastError: orNull(text),
  /** Null if no response arrived. */
  lastStatus: orNull(whole),
  /** The first failure since the last success, a new URL or a reactivation. */
  failingSince: orNull(date),
})
export type EndpointHealth = Of<typeof healthFields>

export interface AttemptHour {
  hour: Date
  attempts: number
  succeeded: number
}

/** Its end has not been reported yet. */
const reportedFailureFields = part({
  /** `health.failingSince` at the time of the report. */
  since: date,
  recoveredAt: optional(date),
})
export type ReportedFailure = Of<typeof reportedFailureFields>

export const untried: EndpointHealth = {
  lastSuccessAt: null,
  lastFailureAt: null,
  failuresInRow: 0,
  lastError: null,
  lastStatus: null,
  failingSince: null,
}

const previousSecretFields = part({ secret: secret(text), validUntil: date })
export type PreviousSecret = Of<typeof previousSecretFields>

export const endpoints = declareCollection({
  name: 'webhookendpoints',
  kept: 'until the clean-up two days after its deletion, once it has no deliveries',
  fields: {
    _id: text,
    businessId: text,
    /** Of the key that created it. */
    sandbox: flag,
    /** Unique within the business, so concurrent requests never create a sixth endpoint. Missing once deleted. */
    slot: optional(whole),
    url: text,
    events: list(oneOf<EventName>()),
    secret: secret(text),
    /** Newest first. */
    previousSecrets: list(previousSecretFields),
    active: flag,
    /** Kept as long as it has deliveries. */
    deletedAt: orNull(date),
    replayedAt: optional(date),
    health: healthFields,
    /** See `hourField`. */
    attemptHours: anything<Record<string, AttemptHour>>(),
    reportedFailure: orNull(reportedFailureFields),
    /** At most one event: the next is added only once this one is relayed. */
    outbox: list(outboxFields),
    createdAt: date,
    updatedAt: date,
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
    // For the poll of failures (report-failures.ts).
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
})
export type Endpoint = Stored<typeof endpoints>

/** Not deleted. MongoDB then uses `slotInUse`, which lacks deleted endpoints, of which there may be many. */
export const standing: Record<string, unknown> = { slot: { $type: 'number' } }

/** A live endpoint gets events of both environments (SPEC 6.2). */
export const accepts = (endpoint: Pick<Endpoint, 'sandbox'>, event: { sandbox: boolean }): boolean =>
  event.sandbox || !endpoint.sandbox

export const isReceiving = (endpoint: Pick<Endpoint, 'active' | 'deletedAt'>): boolean =>
  endpoint.active && endpoint.deletedAt === null

import type { EventName } from '../../../schemas/events.ts'
import { declareCollection, ifDate, type Stored } from '../../mongo/declare.ts'
import {
  anything,
  date,
  flag,
  list,
  oneOf,
  optional,
  orNull,
  part,
  secret,
  text,
  type ValueOfField,
  whole,
} from '../../mongo/fields.ts'
import { outboxFields, outboxIndex } from '../../outbox/event.ts'

/** Each existing endpoint of a business takes one of these (SPEC 4.8, rule 1). */
export const endpointSlots = [0, 1, 2, 3, 4] as const

/** A new process derives the endpoint's first attempt window from these (attempts/slots.ts). */
const healthFields = part({
  lastSuccessAt: orNull(date),
  lastFailureAt: orNull(date),
  lastDurationMs: optional(whole),
  failuresInRow: whole,
  /** One of the stages in docs/merchants/webhooks.md. */
  lastError: orNull(text),
  /** Null if no response arrived. */
  lastStatus: orNull(whole),
  /** Time of the first failure since the last success, URL change or reactivation. */
  failingSince: orNull(date),
})
export type EndpointHealth = ValueOfField<typeof healthFields>

export interface AttemptHour {
  hour: Date
  attempts: number
  succeeded: number
}

/** A reported failure whose end hasn't been reported yet. */
const reportedFailureFields = part({
  /** `health.failingSince` at the time of the report. */
  since: date,
  recoveredAt: optional(date),
})
export type ReportedFailure = ValueOfField<typeof reportedFailureFields>

export const untriedHealth: EndpointHealth = {
  lastSuccessAt: null,
  lastFailureAt: null,
  failuresInRow: 0,
  lastError: null,
  lastStatus: null,
  failingSince: null,
}

const previousSecretFields = part({ secret: secret(text), validUntil: date })
export type PreviousSecret = ValueOfField<typeof previousSecretFields>

export const endpoints = declareCollection({
  name: 'webhookendpoints',
  kept: 'until the clean-up two days after its deletion, once it has no deliveries',
  fields: {
    _id: text,
    businessId: text,
    /** The environment of the API key that created the endpoint. */
    sandbox: flag,
    /** Unique per business, so concurrent requests never create a sixth endpoint. Missing once deleted. */
    slot: optional(whole),
    url: text,
    events: list(oneOf<EventName>()),
    secret: secret(text),
    /** The newest comes first. */
    previousSecrets: list(previousSecretFields),
    active: flag,
    /** A deleted endpoint is kept as long as it has deliveries. */
    deletedAt: orNull(date),
    replayedAt: optional(date),
    health: healthFields,
    /** The keys come from `hourField`. */
    attemptHours: anything<Record<string, AttemptHour>>(),
    reportedFailure: orNull(reportedFailureFields),
    /** Holds at most one event: the next is added only once the first has been relayed. */
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
    // The next two serve the poll in report-failures.ts.
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

/** Excludes deleted endpoints. Only existing ones have a slot and are in the index `slotInUse`. */
export const undeletedFilter: Record<string, unknown> = { slot: { $type: 'number' } }

/** A live endpoint gets events from both environments (SPEC 6.2). */
export const acceptsEvent = (endpoint: Pick<Endpoint, 'sandbox'>, event: { sandbox: boolean }): boolean =>
  event.sandbox || !endpoint.sandbox

export const isReceiving = (endpoint: Pick<Endpoint, 'active' | 'deletedAt'>): boolean =>
  endpoint.active && endpoint.deletedAt === null

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

/** There are as many slots as a business may have endpoints (SPEC 4.8, rule 1). */
export const endpointSlots = [0, 1, 2, 3, 4] as const

/** The results of the attempts. A process derives its window from them at first (attempts/slots.ts). */
const healthFields = part({
  lastSuccessAt: orNull(date),
  lastFailureAt: orNull(date),
  /** How long the most recent successful attempt took. */
  lastDurationMs: optional(whole),
  failuresInRow: whole,
  /** The stage at which the most recent failed attempt failed (docs/merchants/webhooks.md). */
  lastError: orNull(text),
  /** The HTTP status of the most recent failed attempt. Null if no response arrived. */
  lastStatus: orNull(whole),
  /**
   * The first failed attempt since the last successful one, a new URL or a reactivation. Null if the last attempt was
   * successful.
   */
  failingSince: orNull(date),
})
export type EndpointHealth = Of<typeof healthFields>

/** The attempts at an endpoint that ended within one hour. */
export interface AttemptHour {
  /** The start of the hour. */
  hour: Date
  attempts: number
  succeeded: number
}

/** A failure that has been reported with an `endpoint.failing` event, and whose end has not been reported yet. */
const reportedFailureFields = part({
  /** The value of `health.failingSince` when the failure was reported. */
  since: date,
  recoveredAt: optional(date),
})
export type ReportedFailure = Of<typeof reportedFailureFields>

/** The health of an endpoint that has had no attempts yet. */
export const untried: EndpointHealth = {
  lastSuccessAt: null,
  lastFailureAt: null,
  failuresInRow: 0,
  lastError: null,
  lastStatus: null,
  failingSince: null,
}

/** A rotated secret. Until `validUntil`, attempts are signed with it too. */
const previousSecretFields = part({ secret: secret(text), validUntil: date })
export type PreviousSecret = Of<typeof previousSecretFields>

/** A stored endpoint (SPEC 2.2). */
export const endpoints = declareCollection({
  name: 'webhookendpoints',
  kept: 'until the clean-up two days after its deletion, once it has no deliveries',
  fields: {
    _id: text,
    businessId: text,
    /** The environment of the key that created the endpoint. It never changes. */
    sandbox: flag,
    /**
     * One of `endpointSlots`, unique within the business, so that concurrent requests can never create a sixth
     * endpoint. Missing if the endpoint has been deleted.
     */
    slot: optional(whole),
    url: text,
    events: list(oneOf<EventName>()),
    /** Sealed. Unsealed, it has 64 hex characters. */
    secret: secret(text),
    /** The replaced secrets, newest first. */
    previousSecrets: list(previousSecretFields),
    active: flag,
    /** A deleted endpoint is kept as long as it has deliveries. */
    deletedAt: orNull(date),
    replayedAt: optional(date),
    health: healthFields,
    /** The latest attempts by hour, at most one item per hour of the day (last-day.ts). */
    attemptHours: anything<Record<string, AttemptHour>>(),
    reportedFailure: orNull(reportedFailureFields),
    /** The event that has not been relayed yet. The next event is added only after this one has been relayed. */
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
})
export type Endpoint = Stored<typeof endpoints>

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

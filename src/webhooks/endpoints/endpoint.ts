import type { EventName } from '../../../schemas/events.ts'
import { declareCollection, indexIfDate, type Stored } from '../../mongo/declare.ts'
import * as field from '../../mongo/fields.ts'
import { outboxFields, outboxIndex } from '../../outbox/event.ts'
import { dayMs } from '../../platform/time.ts'

/** Each endpoint has a slot until it is deleted (SPEC 4.8, rule 1). */
export const endpointSlots = [0, 1, 2, 3, 4] as const

/** A new process derives the endpoint's attempt limit from these fields. */
const healthFields = field.part({
  lastSuccessAt: field.orNull(field.date),
  lastFailureAt: field.orNull(field.date),
  lastDurationMs: field.optional(field.whole),
  failuresInRow: field.whole,
  /** One of the stages in docs/merchants/webhooks.md. */
  lastError: field.orNull(field.text),
  lastStatus: field.orNull(field.whole),
  /** The first failure since a success, a new URL or a reactivation. */
  failingSince: field.orNull(field.date),
})
type EndpointHealth = field.ValueOfField<typeof healthFields>

const reportedFailureFields = field.part({
  /** `health.failingSince` at the time of the report. */
  since: field.date,
  /** Absent if an older version wrote it. Use `reportedAtOf`. */
  reportedAt: field.optional(field.date),
  recoveredAt: field.optional(field.date),
})
type ReportedFailure = field.ValueOfField<typeof reportedFailureFields>

/** The default of ENDPOINT_WARNING_HOURS. */
export const assumedWarningMs = dayMs

export const reportedAtOf = ({ since, reportedAt }: ReportedFailure): Date =>
  reportedAt ?? new Date(since.getTime() + assumedWarningMs)

export const newEndpointHealth: EndpointHealth = {
  lastSuccessAt: null,
  lastFailureAt: null,
  failuresInRow: 0,
  lastError: null,
  lastStatus: null,
  failingSince: null,
}

/** `encrypted` holds the JSON of names and values. */
const headerFields = field.part({ names: field.list(field.text), encrypted: field.secret(field.text) })
const previousSecretFields = field.part({ secret: field.secret(field.text), validUntil: field.date })

export const endpoints = declareCollection({
  name: 'webhookendpoints',
  kept: 'until the clean-up two days after its deletion, once it has no deliveries',
  fields: {
    _id: field.text,
    businessId: field.text,
    /** The environment of the key that created the endpoint. */
    sandbox: field.flag,
    /** Unique, so a business can't exceed five endpoints. Unset on deletion. */
    slot: field.optional(field.whole),
    url: field.text,
    events: field.list(field.oneOf<EventName>()),
    secret: field.secret(field.text),
    /** The newest comes first. */
    previousSecrets: field.list(previousSecretFields),
    headers: field.optional(headerFields),
    active: field.flag,
    deletedAt: field.orNull(field.date),
    replayedAt: field.optional(field.date),
    health: healthFields,
    attemptHours: field.anything<Record<string, { hour: Date; attempts: number; succeeded: number }>>(),
    reportedFailure: field.orNull(reportedFailureFields),
    /** Contains at most one event. */
    outbox: field.list(outboxFields),
    createdAt: field.date,
    updatedAt: field.date,
  },
  indexes: [
    {
      name: 'slotInUse',
      key: { businessId: 1, slot: 1 },
      unique: true,
      partialFilterExpression: { slot: { $type: 'number' } },
    },
    { name: 'byTime', key: { businessId: 1, createdAt: -1, _id: -1 } },
    { name: 'deletions', key: { businessId: 1, deletedAt: -1, _id: -1 }, ...indexIfDate('deletedAt') },
    // The polls in report-failures.ts use the next two indexes.
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

/** A deleted endpoint has no slot. */
export const undeletedFilter: Record<string, unknown> = { slot: { $type: 'number' } }

/** A live endpoint gets events from both environments (SPEC 6.2). */
export const acceptsEvent = (endpoint: Pick<Endpoint, 'sandbox'>, event: { sandbox: boolean }): boolean =>
  event.sandbox || !endpoint.sandbox

export const receivesEvents = (endpoint: Pick<Endpoint, 'active' | 'deletedAt'>): boolean =>
  endpoint.active && endpoint.deletedAt === null

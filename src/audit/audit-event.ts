import { declareCollection, type Stored } from '../mongo/declare.ts'
import { anything, date, flag, oneOf, optional, orNull, text, whole } from '../mongo/fields.ts'
import { newId } from '../platform/ids.ts'
import { type Actor, type Author, actorFields } from '../security/actor.ts'
import type { AuditAction } from './acts.ts'

export type AuditLineInput = Pick<AuditEvent, 'act' | 'subject' | 'businessId'> &
  Partial<Pick<AuditEvent, '_id' | 'before' | 'after'>>

export function newAuditLine(
  { expectValid: _never, ...by }: Author,
  at: Date,
  about: AuditLineInput,
): AuditEvent {
  return { _id: newId(), before: null, after: null, at, ...by, ...about }
}

export const toReadableDate = (at: unknown): Date =>
  at instanceof Date && !Number.isNaN(at.getTime()) ? at : new Date(0)

/** Accepts fields of any type, because a line may be forged. */
export function toReadableAuditLine(line: AuditEvent): AuditEvent {
  const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? null))
  const isMissing = (value: unknown) => value === null || value === undefined
  const textOrNull = (value: unknown) => (isMissing(value) ? null : asText(value))
  const fieldsOf = (value: unknown) => (isMissing(value) ? null : Object(value))
  const { kind, name, from }: Partial<Actor> = line.actor ?? {}
  return {
    ...line,
    _id: asText(line._id),
    at: toReadableDate(line.at),
    actor: { kind: asText(kind) as Actor['kind'], name: asText(name), from: textOrNull(from) },
    act: asText(line.act) as AuditAction,
    subject: asText(line.subject),
    businessId: textOrNull(line.businessId),
    reason: textOrNull(line.reason),
    before: fieldsOf(line.before),
    after: fieldsOf(line.after),
  }
}

/** A sealed line never changes, except for its `seal`. */
export const auditEvents = declareCollection({
  name: 'auditevents',
  kept: 'forever',
  fields: {
    _id: text,
    at: date,
    actor: actorFields,
    reason: orNull(text),
    sandbox: optional(flag),
    act: oneOf<AuditAction>(),
    /** Id or name of the changed object. */
    subject: text,
    businessId: orNull(text),
    /** Only changed fields, without secrets, bodies or customer data. */
    before: orNull(anything<Record<string, unknown>>()),
    after: orNull(anything<Record<string, unknown>>()),
    /** The end of the hour in which the line counts repeats (repeats.ts). */
    closesAt: optional(date),
    seal: optional(orNull(whole)),
  },
  indexes: [
    { name: 'bySeal', key: { seal: 1, _id: 1 } },
    { name: 'byTime', key: { at: -1, _id: -1 } },
    { name: 'byActor', key: { 'actor.name': 1, at: -1, _id: -1 } },
    { name: 'byAct', key: { act: 1, at: -1, _id: -1 } },
    { name: 'bySubject', key: { subject: 1, at: -1, _id: -1 } },
    { name: 'byBusiness', key: { businessId: 1, at: -1, _id: -1 } },
  ],
})
export type AuditEvent = Stored<typeof auditEvents>

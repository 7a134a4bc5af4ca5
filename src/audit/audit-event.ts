import { declareCollection, type Stored } from '../mongo/declare.ts'
import { anything, date, flag, oneOf, optional, orNull, text, whole } from '../mongo/fields.ts'
import { newId } from '../platform/ids.ts'
import { type Actor, actorFields, type By } from '../security/actor.ts'
import type { Act } from './acts.ts'

/** Besides actor and time. By default, a line has a new id, and no values from before and after. */
export type AuditDetails = Pick<AuditEvent, 'act' | 'subject' | 'businessId'> &
  Partial<Pick<AuditEvent, '_id' | 'before' | 'after'>>

export const auditLine = (
  { expectValid: _expectValid, ...by }: By,
  at: Date,
  about: AuditDetails,
): AuditEvent => ({
  _id: newId(),
  before: null,
  after: null,
  at,
  ...by,
  ...about,
})

export const readableDate = (at: unknown): Date =>
  at instanceof Date && !Number.isNaN(at.getTime()) ? at : new Date(0)

/** For pages and exports. A forged line may have any fields. */
export function readableLine(line: AuditEvent): AuditEvent {
  const asText = (value: unknown): string =>
    typeof value === 'string' ? value : JSON.stringify(value ?? null)
  const textOrNull = (value: unknown): string | null =>
    value === null || value === undefined ? null : asText(value)
  const fieldsOf = (value: unknown) => (value === null || value === undefined ? null : Object(value))
  const { kind, name, from }: Partial<Actor> = line.actor ?? {}
  return {
    ...line,
    _id: asText(line._id),
    at: readableDate(line.at),
    actor: { kind: asText(kind) as Actor['kind'], name: asText(name), from: textOrNull(from) },
    act: asText(line.act) as Act,
    subject: asText(line.subject),
    businessId: textOrNull(line.businessId),
    reason: textOrNull(line.reason),
    before: fieldsOf(line.before),
    after: fieldsOf(line.after),
  }
}

/** Never deleted, and never changed once sealed, except that the line is marked with its seal. */
export const auditEvents = declareCollection({
  name: 'auditevents',
  kept: 'forever',
  fields: {
    _id: text,
    at: date,
    actor: actorFields,
    reason: orNull(text),
    /** Whether a merchant used a test key. Only lines of merchants have this field. */
    sandbox: optional(flag),
    act: oneOf<Act>(),
    /** Id or name of the changed object, such as a delivery or a staff account. */
    subject: text,
    /** Null for acts that concern no particular business, such as those on staff accounts. */
    businessId: orNull(text),
    /** Only changed fields, without long values, secrets, bodies and customer data. */
    before: orNull(anything<Record<string, unknown>>()),
    after: orNull(anything<Record<string, unknown>>()),
    /** When the last act can be counted in a line that repeated acts share (share.ts). Other lines don't have it. */
    closesAt: optional(date),
    /** Number of the seal that contains the line (seals/seal.ts). Missing until then. */
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

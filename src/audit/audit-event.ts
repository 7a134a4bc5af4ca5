import { type Model, Schema } from 'mongoose'
import type { Collection } from '../mongo/collection.ts'
import { newId } from '../platform/ids.ts'
import type { Actor, By } from '../security/actor.ts'
import type { Act } from './acts.ts'

declare module '../platform/deps.ts' {
  interface Models {
    AuditEvent: Model<AuditEvent>
  }
}

/** Never deleted, and never changed once sealed, except that the line is marked with its seal. */
export interface AuditEvent extends Omit<By, 'expectValid'> {
  _id: string
  at: Date
  act: Act
  /** Id or name of the changed object, such as a delivery or a staff account. */
  subject: string
  /** Null for acts that concern no particular business, such as those on staff accounts. */
  businessId: string | null
  /** Changed fields with their previous values, but no long values, secrets, bodies or customer data. */
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  /** When the last act can be counted in a line that repeated acts share (share.ts). Other lines don't have it. */
  closesAt?: Date
  /** Number of the seal that contains the line (seals/seal.ts). Missing until then. */
  seal?: number | null
}

/** Besides actor and time. By default, a line has a new id, and no values from before and after. */
export type About = Pick<AuditEvent, 'act' | 'subject' | 'businessId'> &
  Partial<Pick<AuditEvent, '_id' | 'before' | 'after'>>

export const auditLine = ({ expectValid: _expectValid, ...by }: By, at: Date, about: About): AuditEvent => ({
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
export function readable(line: AuditEvent): AuditEvent {
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null))
  const orNull = (value: unknown): string | null => (value === null || value === undefined ? null : text(value))
  const fieldsOf = (value: unknown) => (value === null || value === undefined ? null : Object(value))
  const { kind, name, from }: Partial<Actor> = line.actor ?? {}
  return {
    ...line,
    _id: text(line._id),
    at: readableDate(line.at),
    actor: { kind: text(kind) as Actor['kind'], name: text(name), from: orNull(from) },
    act: text(line.act) as Act,
    subject: text(line.subject),
    businessId: orNull(line.businessId),
    reason: orNull(line.reason),
    before: fieldsOf(line.before),
    after: fieldsOf(line.after),
  }
}

export const auditEvents: Collection = {
  name: 'auditevents',
  fields: {
    _id: String,
    at: Date,
    actor: { kind: { type: String }, name: String, from: String },
    reason: String,
    sandbox: Boolean,
    act: String,
    subject: String,
    businessId: String,
    before: Schema.Types.Mixed,
    after: Schema.Types.Mixed,
    closesAt: Date,
    seal: Number,
  },
  indexes: [
    { name: 'bySeal', key: { seal: 1, _id: 1 } },
    { name: 'byTime', key: { at: -1, _id: -1 } },
    { name: 'byActor', key: { 'actor.name': 1, at: -1, _id: -1 } },
    { name: 'byAct', key: { act: 1, at: -1, _id: -1 } },
    { name: 'bySubject', key: { subject: 1, at: -1, _id: -1 } },
    { name: 'byBusiness', key: { businessId: 1, at: -1, _id: -1 } },
  ],
}

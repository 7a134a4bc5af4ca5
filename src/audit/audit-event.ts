import { Schema } from 'mongoose'
import type { Collection } from '../mongo/collection.ts'
import { newId } from '../security/ids.ts'
import type { Act } from './acts.ts'

/** The person who acted: support staff on a page, an operator on the command line, or a merchant through the API. */
export interface Actor {
  kind: 'staff' | 'operator' | 'merchant'
  /** The staff account, the user of the operating system, or the id of the API key. */
  name: string
  /** Null for an operator. */
  ip: string | null
}

/** One line of the audit trail. It is never changed and never deleted. */
export interface AuditEvent {
  _id: string
  at: Date
  actor: Actor
  act: Act
  /** The id or name of the object that was changed, such as a delivery or a staff account. */
  subject: string
  /** The merchant, if the act concerns one. */
  businessId: string | null
  /** The changed fields, with their values if these are short. Never a secret, a body or customer data. */
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** Returns a new line with an id. */
export const auditLine = (line: Omit<AuditEvent, '_id'>): AuditEvent => ({ _id: newId(), ...line })

const fields = {
  _id: String,
  at: Date,
  actor: { kind: { type: String }, name: String, ip: String },
  act: String,
  subject: String,
  businessId: String,
  before: Schema.Types.Mixed,
  after: Schema.Types.Mixed,
}

export const auditEvents: Collection = {
  name: 'auditevents',
  fields,
  indexes: [
    { name: 'byTime', key: { at: -1, _id: -1 } },
    { name: 'byActor', key: { 'actor.name': 1, at: -1, _id: -1 } },
    { name: 'byAct', key: { act: 1, at: -1, _id: -1 } },
    { name: 'bySubject', key: { subject: 1, at: -1, _id: -1 } },
    { name: 'byBusiness', key: { businessId: 1, at: -1, _id: -1 } },
  ],
}

/**
 * Lines that are not in the trail yet, as a field of the changed document. The update that makes the change also adds
 * the line, so neither exists without the other. `publishAudit` moves the lines to the trail. A poll moves the lines of
 * processes that were killed.
 */
export const unauditedFields = [fields]
export const unauditedIndex = {
  name: 'withUnaudited',
  key: { 'unaudited.at': 1 },
  partialFilterExpression: { 'unaudited.at': { $exists: true } },
} as const

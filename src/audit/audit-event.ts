import { Schema } from 'mongoose'
import type { Collection } from '../mongo/collection.ts'
import { newId } from '../security/ids.ts'
import type { Act } from './acts.ts'

/** Who acted: support staff on a page, an operator at a shell, a merchant through the API. */
export interface Actor {
  kind: 'staff' | 'operator' | 'merchant'
  /** The staff account, the system's user at the shell, or the id of the API key. */
  name: string
  /** Where from; null at a shell. */
  ip: string | null
}

/** One line of the audit trail: who, when, from where, what, before → after. Never changed, never deleted. */
export interface AuditEvent {
  _id: string
  at: Date
  actor: Actor
  /** What was done, as `noun.participle`. */
  act: Act
  /** What it was done to: the id of a delivery, the name of a staff account. */
  subject: string
  /** The merchant concerned, if one is. */
  businessId: string | null
  /** Fields that changed, with small values. Never a secret, a body or a customer's data. */
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** A line to be written, with an id of its own. */
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
 * Lines not in the trail yet, as a field of the document that was changed: written in the same update as the change, so that
 * neither is there without the other. `publishAudit` moves them on, and a poll what a killed process left.
 */
export const unauditedFields = [fields]
export const unauditedIndex = {
  name: 'withUnaudited',
  key: { 'unaudited.at': 1 },
  partialFilterExpression: { 'unaudited.at': { $exists: true } },
} as const

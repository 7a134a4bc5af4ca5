import { type AuditEvent, unauditedFields, unauditedIndex } from '../audit/audit-event.ts'
import type { Collection } from '../mongo/collection.ts'

/** How long somebody stays signed in, whatever they do meanwhile. */
export const sessionLifetimeMs = 12 * 60 * 60 * 1000

/** From the sign-in, so long after it is over: it may carry lines that the trail has not got yet. */
const removedAfterSeconds = 30 * 86_400

/** Somebody signed in. `_id` is the hash of the token in their cookie. */
export interface StaffSession {
  _id: string
  staffName: string
  /** The account's when they signed in. */
  epoch: number
  createdAt: Date
  endedAt: Date | null
  expiresAt: Date
  /** Lines for the audit trail that are not there yet. */
  unaudited: AuditEvent[]
}

export const staffSessions: Collection = {
  name: 'staffsessions',
  fields: {
    _id: String,
    staffName: String,
    epoch: Number,
    createdAt: Date,
    endedAt: Date,
    expiresAt: Date,
    unaudited: unauditedFields,
  },
  indexes: [
    { name: 'removal', key: { createdAt: 1 }, expireAfterSeconds: removedAfterSeconds },
    unauditedIndex,
  ],
}

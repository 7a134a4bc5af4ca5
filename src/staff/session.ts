import { type AuditEvent, unauditedFields, unauditedIndex } from '../audit/audit-event.ts'
import type { Collection } from '../mongo/collection.ts'

/** The lifetime of a session from the time of sign-in. Activity does not extend it. */
export const sessionLifetimeMs = 12 * 60 * 60 * 1000

/**
 * The time from sign-in until a session is removed. It is much longer than a session lasts, because the session may
 * contain audit lines that are not in the audit trail yet.
 */
const removedAfterSeconds = 30 * 86_400

/** A session of a member of staff. `_id` is the hash of the token in the cookie. */
export interface StaffSession {
  _id: string
  staffName: string
  /** The account's epoch at the time of sign-in. */
  epoch: number
  createdAt: Date
  endedAt: Date | null
  expiresAt: Date
  /** Audit lines that are not in the audit trail yet. */
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

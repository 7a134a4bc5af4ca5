import { type AuditEvent, unauditedFields, unauditedIndex } from '../audit/audit-event.ts'
import type { Collection } from '../mongo/collection.ts'

/** How long a session lasts after sign-in. Activity does not extend the session. */
export const sessionLifetimeMs = 12 * 60 * 60 * 1000

/**
 * A session's document is removed this long after sign-in. The document is kept for much longer than the session lasts,
 * because it may contain audit lines that are not in the audit trail yet.
 */
const removedAfterSeconds = 30 * 86_400

/** A staff member's session. `_id` is the hash of the token in the cookie. */
export interface StaffSession {
  _id: string
  staffName: string
  /** The account's `epoch` at the time of sign-in (account.ts). */
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

import { type AuditEvent, unauditedFields, unauditedIndex } from '../audit/audit-event.ts'
import type { Collection } from '../mongo/collection.ts'

/** Measured from the sign-in. Activity does not extend a session. */
export const sessionLifetimeMs = 12 * 60 * 60 * 1000

/** Measured from the sign-in. It is long after the end of the session, because lines may not be in the trail yet. */
const removedAfterSeconds = 30 * 86_400

/** A session of a member of staff. `_id` is the hash of the token in the cookie. */
export interface StaffSession {
  _id: string
  staffName: string
  /** The epoch of the account at the sign-in. */
  epoch: number
  createdAt: Date
  endedAt: Date | null
  expiresAt: Date
  /** Lines that are not in the audit trail yet. */
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

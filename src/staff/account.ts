import { type AuditEvent, unauditedFields, unauditedIndex } from '../audit/audit-event.ts'
import type { Collection } from '../mongo/collection.ts'

/**
 * The roles of staff. A `viewer` may only view pages. `support` may also re-queue deliveries. An `admin` may also
 * change keys, businesses and staff accounts (permissions.ts).
 */
export const roles = ['viewer', 'support', 'admin'] as const
export type Role = (typeof roles)[number]

/** A support staff account. `_id` is the account's name, in lower case. */
export interface Staff {
  _id: string
  role: Role
  passwordHash: string
  /**
   * This number increases with each change that ends all of the account's sessions. A session that began in an earlier
   * epoch is invalid.
   */
  epoch: number
  disabledAt: Date | null
  createdAt: Date
  passwordChangedAt: Date
  /** Audit lines that are not in the audit trail yet. */
  unaudited: AuditEvent[]
}

export const staffAccounts: Collection = {
  name: 'staff',
  fields: {
    _id: String,
    role: String,
    passwordHash: String,
    epoch: Number,
    disabledAt: Date,
    createdAt: Date,
    passwordChangedAt: Date,
    unaudited: unauditedFields,
  },
  indexes: [unauditedIndex],
}

/** Returns whether a string is a valid account name. */
export const isStaffName = (text: string): boolean => /^[a-z0-9][a-z0-9._@-]{0,63}$/.test(text)

import { type AuditEvent, unauditedFields, unauditedIndex } from '../audit/audit-event.ts'
import type { Collection } from '../mongo/collection.ts'

/** The roles of support staff: a `viewer` may view, `support` may also re-queue deliveries. */
export const roles = ['viewer', 'support'] as const
export type Role = (typeof roles)[number]

/** An account of the support staff. `_id` is its name, in lower case. */
export interface Staff {
  _id: string
  role: Role
  passwordHash: string
  /** Incremented by each change that ends all sessions of the account. A session of an older epoch is not valid. */
  epoch: number
  disabledAt: Date | null
  createdAt: Date
  passwordChangedAt: Date
  /** Lines that are not in the audit trail yet. */
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

/** Returns whether an account may have this name. */
export const isStaffName = (text: string): boolean => /^[a-z0-9][a-z0-9._@-]{0,63}$/.test(text)

import { type AuditEvent, unauditedFields, unauditedIndex } from '../audit/audit-event.ts'
import type { Collection } from '../mongo/collection.ts'

/** What somebody of the support staff may do: look, or look and send deliveries again. */
export const roles = ['viewer', 'support'] as const
export type Role = (typeof roles)[number]

/** An account of the support staff. `_id` is its name, in lower case. */
export interface Staff {
  _id: string
  role: Role
  passwordHash: string
  /** Raised by whatever ends all sessions of the account: a session of an older epoch is none. */
  epoch: number
  disabledAt: Date | null
  createdAt: Date
  passwordChangedAt: Date
  /** Lines for the audit trail that are not there yet. */
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

/** Whether an account may have this name. */
export const isStaffName = (text: string): boolean => /^[a-z0-9][a-z0-9._@-]{0,63}$/.test(text)

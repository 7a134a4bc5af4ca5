import { declareCollection, indexIfPresent, type Stored } from '../mongo/declare.ts'
import * as field from '../mongo/fields.ts'
import type { StaffRole } from './permissions.ts'

const linkFields = field.part({ hash: field.secret(field.text), expiresAt: field.date })
export type PasswordLink = field.ValueOfField<typeof linkFields>

const secondFactorFields = field.part({
  /** A session is valid only if this factor was proved in it. */
  id: field.text,
  secret: field.secret(field.text),
  /** Time step of the last code used. Earlier codes no longer work. */
  lastStep: field.whole,
  recoveryCodes: field.list(field.secret(field.text)),
  addedAt: field.date,
})

/** `_id` is the account's name, in lower case. */
export const staffAccounts = declareCollection({
  name: 'staff',
  kept: 'forever',
  fields: {
    _id: field.text,
    role: field.oneOf<StaffRole>(),
    /** If null, the owner must set a password with the link. */
    passwordHash: field.orNull(field.secret(field.text)),
    link: field.orNull(linkFields),
    secondFactor: field.orNull(secondFactorFields),
    /** Sessions from earlier epochs have ended. */
    epoch: field.whole,
    disabledAt: field.orNull(field.date),
    createdAt: field.date,
    passwordChangedAt: field.orNull(field.date),
    /** Incremented to make concurrent changes conflict (change-account.ts). */
    timesNeeded: field.optional(field.whole),
  },
  indexes: [{ name: 'byLink', key: { 'link.hash': 1 }, ...indexIfPresent('link.hash') }],
})
export type Staff = Stored<typeof staffAccounts>

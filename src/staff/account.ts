import { declareCollection, ifPresent, type Stored } from '../mongo/declare.ts'
import {
  date,
  list,
  oneOf,
  optional,
  orNull,
  part,
  secret,
  text,
  type ValueOfField,
  whole,
} from '../mongo/fields.ts'
import type { Role } from './permissions.ts'

const linkFields = part({ hash: secret(text), expiresAt: date })
export type PasswordLink = ValueOfField<typeof linkFields>

const secondFactorFields = part({
  /** A session is valid only if it proved this factor. */
  id: text,
  secret: secret(text),
  /** Time step of the last code used. Earlier codes no longer work. */
  lastStep: whole,
  recoveryCodes: list(secret(text)),
  addedAt: date,
})

/** `_id` is the account's name, in lower case. */
export const staffAccounts = declareCollection({
  name: 'staff',
  kept: 'forever',
  fields: {
    _id: text,
    role: oneOf<Role>(),
    /** If null, the owner must set a password with the link. */
    passwordHash: orNull(secret(text)),
    link: orNull(linkFields),
    secondFactor: orNull(secondFactorFields),
    /** Sessions of an earlier epoch have ended. */
    epoch: whole,
    disabledAt: orNull(date),
    createdAt: date,
    passwordChangedAt: orNull(date),
    /** Incremented to make concurrent changes of admins conflict (change-account.ts). */
    timesNeeded: optional(whole),
  },
  indexes: [{ name: 'byLink', key: { 'link.hash': 1 }, ...ifPresent('link.hash') }],
})
export type Staff = Stored<typeof staffAccounts>

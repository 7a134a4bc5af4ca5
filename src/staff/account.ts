import { declareCollection, ifPresent, type Stored } from '../mongo/declare.ts'
import { date, list, type Of, oneOf, optional, orNull, part, secret, text, whole } from '../mongo/fields.ts'
import type { Role } from './permissions.ts'

/** One-time link with which the account's owner sets a password. Only a hash of its token is stored. */
const linkFields = part({ hash: secret(text), expiresAt: date })
export type PasswordLink = Of<typeof linkFields>

/** An authenticator app (TOTP, RFC 6238) whose codes are needed to sign in, and the recovery codes. */
const secondFactorFields = part({
  /** A session is valid only if it proved the factor with this id. */
  id: text,
  secret: secret(text),
  /** Time step of the last used code. Codes of this step and of earlier ones are never accepted again. */
  lastStep: whole,
  /** Only hashes, and only of the unused codes (second-factor/recovery-codes.ts). */
  recoveryCodes: list(secret(text)),
  addedAt: date,
})
export type SecondFactor = Of<typeof secondFactorFields>

/** `_id` is the account's name, in lower case. */
export const staffAccounts = declareCollection({
  name: 'staff',
  kept: 'forever',
  fields: {
    _id: text,
    role: oneOf<Role>(),
    /** If null, no password is accepted: the account's owner must set one with the link. */
    passwordHash: orNull(secret(text)),
    link: orNull(linkFields),
    secondFactor: orNull(secondFactorFields),
    /** Grows with each change that ends all of the account's sessions. Sessions of an earlier epoch are invalid. */
    epoch: whole,
    disabledAt: orNull(date),
    createdAt: date,
    passwordChangedAt: orNull(date),
    /** Counts the acts for which this admin had to stay one (change-account.ts). */
    timesNeeded: optional(whole),
  },
  indexes: [{ name: 'byLink', key: { 'link.hash': 1 }, ...ifPresent('link.hash') }],
})
export type Staff = Stored<typeof staffAccounts>

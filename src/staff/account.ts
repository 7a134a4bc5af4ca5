import type { Model } from 'mongoose'
import { type Collection, ifPresent } from '../mongo/collection.ts'
import type { Role } from './permissions.ts'

declare module '../platform/deps.ts' {
  interface Models {
    Staff: Model<Staff>
  }
}

/** One-time link with which the account's owner sets a password. Only a hash of its token is stored. */
export interface PasswordLink {
  hash: string
  expiresAt: Date
}

/** An authenticator app (TOTP, RFC 6238) whose codes are needed to sign in, and the recovery codes. */
export interface SecondFactor {
  /** A session is valid only if it proved the factor with this id. */
  id: string
  /** Encrypted. */
  secret: string
  /** Time step of the last used code. Codes of this step and of earlier ones are never accepted again. */
  lastStep: number
  /** Only hashes, and only of the unused codes (second-factor/recovery-codes.ts). */
  recoveryCodes: string[]
  addedAt: Date
}

/** `_id` is the account's name, in lower case. */
export interface Staff {
  _id: string
  role: Role
  /** If null, no password is accepted: the account's owner must set one with the link. */
  passwordHash: string | null
  link: PasswordLink | null
  secondFactor: SecondFactor | null
  /** Grows with each change that ends all of the account's sessions. Sessions of an earlier epoch are invalid. */
  epoch: number
  disabledAt: Date | null
  createdAt: Date
  passwordChangedAt: Date | null
  /** Counts the acts for which this admin had to stay one (change-account.ts). */
  timesNeeded?: number
}

export const staffAccounts: Collection = {
  name: 'staff',
  fields: {
    _id: String,
    role: String,
    passwordHash: String,
    link: { type: { hash: String, expiresAt: Date }, _id: false, default: null },
    secondFactor: {
      type: { id: String, secret: String, lastStep: Number, recoveryCodes: [String], addedAt: Date },
      _id: false,
      default: null,
    },
    epoch: Number,
    disabledAt: Date,
    createdAt: Date,
    passwordChangedAt: Date,
    timesNeeded: Number,
  },
  indexes: [{ name: 'byLink', key: { 'link.hash': 1 }, ...ifPresent('link.hash') }],
}

import type { Model } from 'mongoose'
import * as field from '../mongo/fields.ts'

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

/** What the accounts of staff and of merchants' people have in common. */
export const accountFields = {
  _id: field.text,
  /** If null, the owner must set a password with the link. */
  passwordHash: field.orNull(field.secret(field.text)),
  link: field.orNull(linkFields),
  secondFactor: field.orNull(secondFactorFields),
  /** Sessions from earlier epochs have ended. */
  epoch: field.whole,
  disabledAt: field.orNull(field.date),
  createdAt: field.date,
  passwordChangedAt: field.orNull(field.date),
}
export type Account = field.DocumentOf<typeof accountFields>

/** How long pages show the last sign-in. */
export const sessionRemovedAfterSeconds = 30 * 86_400

/** Each collection adds the field `owner` of its kind. */
export const sessionFields = {
  /** While the session is pending, the hashed token has a prefix. */
  _id: field.secret(field.text),
  sessionId: field.text,
  /** If true, the session grants no rights until a code is entered. */
  isPending: field.flag,
  epoch: field.whole,
  /** Null if the account had no second factor. */
  factorId: field.orNull(field.text),
  from: field.text,
  client: field.text,
  createdAt: field.date,
  /** Up to 15 minutes behind, because most requests don't update it. */
  lastSeenAt: field.date,
  endedAt: field.orNull(field.date),
  expiresAt: field.date,
}
export type AccountSession = field.DocumentOf<typeof sessionFields>

/** Staff and people sign in with the same code, but nothing else is shared. */
export interface AccountKind {
  /** Also the kind of actor in the audit trail. */
  noun: 'staff' | 'person'
  collection: string
  sessionCollection: string
  /** The field of a session that holds its account's id. */
  owner: 'staffName' | 'personId'
  nameField: '_id' | 'name'
  /** Null if no account can have this name. */
  readName(typed: string): string | null
}

export const nameOf = ({ accountKind }: Pick<Accounts, 'accountKind'>, account: Account): string =>
  (account as Account & { name?: string })[accountKind.nameField] ?? ''

export interface Accounts {
  Account: Model<Account>
  AccountSession: Model<AccountSession>
  accountKind: AccountKind
}

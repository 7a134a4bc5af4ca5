import type { mongo } from 'mongoose'
import type { Act } from '../audit/acts.ts'
import type { AuditEvent } from '../audit/audit-event.ts'
import { type AuditedDeps, audited } from '../audit/audited.ts'
import { nativeCollection, nullIfDuplicate } from '../mongo/collection.ts'
import type { Models } from '../platform/deps.ts'
import type { By } from '../security/actor.ts'
import type { SlowHash } from '../security/slow-hash.ts'
import type { Staff } from './account.ts'
import { type LinkDeps, newPassword, newPasswordLink } from './passwords.ts'
import type { Role } from './permissions.ts'

export type AccountDeps = Pick<Models, 'Staff'> & AuditedDeps & LinkDeps & { slowHash: SlowHash }

interface NewAccount {
  name: string
  role: Role
}

/** Returns a random password, of which only a hash is stored, or null if the name is taken. Not for production. */
export async function createAccount(
  deps: AccountDeps,
  account: NewAccount,
  by: By,
): Promise<{ name: string; password: string } | null> {
  const password = newPassword()
  const passwordHash = await deps.slowHash.make(password)
  return (await insert(deps, account, by, { passwordHash, link: null })) && { name: account.name, password }
}

/** Without a password: returns the one-time link with which the owner sets one, or null if the name is taken. */
export async function createAccountWithLink(
  deps: AccountDeps,
  account: NewAccount,
  by: By,
): Promise<{ name: string; link: string } | null> {
  const { link, url } = newPasswordLink(deps)
  return (await insert(deps, account, by, { passwordHash: null, link })) && { name: account.name, link: url }
}

/** Returns null if the name is taken. */
const insert = (
  deps: AccountDeps,
  { name, role }: NewAccount,
  by: By,
  access: Pick<Staff, 'passwordHash' | 'link'>,
): Promise<true | null> =>
  audited(deps, { documents: [name], by }, async ({ session, at, add }) => {
    const staff: Staff = {
      _id: name,
      role,
      ...access,
      secondFactor: null,
      epoch: 0,
      disabledAt: null,
      createdAt: at,
      passwordChangedAt: access.passwordHash === null ? null : at,
    }
    await nativeCollection(deps.Staff).insertOne(staff, { session })
    const about = { subject: name, businessId: null }
    await add({ ...about, act: 'staff.created', after: { role } })
    if (access.link !== null)
      await add({ ...about, act: 'staff.link-issued', after: { expiresAt: access.link.expiresAt } })
    return true as const
  }).catch(nullIfDuplicate)

/** Thrown by an act of staff after which no enabled admin could sign in. */
export class LastAdmin extends Error {}

/** Also ends the account's sessions and invalidates its link. Returns false if there is no such account. */
export const setDisabled = (deps: AccountDeps, name: string, disabled: boolean, by: By): Promise<boolean> =>
  change(deps, name, by, disabled ? 'staff.disabled' : 'staff.enabled', ({ disabledAt: before }, at) => {
    const disabledAt = disabled ? at : null
    if ((before !== null) === disabled) return null
    return { fields: { disabledAt, link: null }, before: { disabledAt: before }, after: { disabledAt } }
  })

/** Ends the account's sessions too. Returns false if there is no such account. */
export const changeRole = (deps: AccountDeps, name: string, role: Role, by: By): Promise<boolean> =>
  change(deps, name, by, 'staff.role-changed', ({ role: before }) =>
    role === before ? null : { fields: { role }, before: { role: before }, after: { role } },
  )

/**
 * Ends the account's sessions. Returns the random password, of which only a hash is stored, or null if there is no such
 * account. Not for production.
 */
export async function renewPassword(deps: AccountDeps, name: string, by: By): Promise<string | null> {
  const password = newPassword()
  const passwordHash = await deps.slowHash.make(password)
  const isChanged = await change(deps, name, by, 'staff.password-changed', (_, at) => ({
    fields: { passwordHash, link: null, passwordChangedAt: at },
  }))
  return isChanged ? password : null
}

/**
 * The new link replaces any earlier one, the old password stops working, and the account's sessions end. Returns null
 * if there is no such account.
 */
export async function issueLink(
  deps: AccountDeps,
  name: string,
  by: By,
): Promise<{ name: string; link: string } | null> {
  const { link, url } = newPasswordLink(deps)
  const isChanged = await change(deps, name, by, 'staff.link-issued', () => ({
    fields: { passwordHash: null, link, passwordChangedAt: null },
    after: { expiresAt: link.expiresAt },
  }))
  return isChanged ? { name, link: url } : null
}

/** Removes the recovery codes too, and ends the account's sessions. Returns false if there is no such account. */
export const removeSecondFactor = (deps: AccountDeps, name: string, by: By): Promise<boolean> =>
  change(deps, name, by, 'staff.second-factor-removed', ({ secondFactor }) =>
    secondFactor === null
      ? null
      : {
          fields: { secondFactor: null },
          before: { addedAt: secondFactor.addedAt },
          after: { addedAt: null },
        },
  )

/** Changed fields, with old and new values for the audit trail. */
type Change = { fields: Partial<Staff> } & Partial<Pick<AuditEvent, 'before' | 'after'>>

/**
 * Changes an account and ends all of its sessions, unless `changeOf` returns null because the change is already made.
 * Returns false if there is no such account.
 */
const change = (
  deps: AccountDeps,
  name: string,
  by: By,
  act: Act,
  changeOf: (found: Staff, at: Date) => Change | null,
): Promise<boolean> =>
  audited(deps, { documents: [name, 'admins'], by }, async ({ session, at, add }) => {
    const accounts = nativeCollection(deps.Staff)
    const found = await accounts.findOne({ _id: name }, { session })
    if (found === null) return false
    const wanted = changeOf(found, at)
    if (wanted === null) return true
    const { fields, ...values } = wanted
    // Operators can make a new admin, so they may lock out the last one.
    const isByStaff = by.actor.kind === 'staff'
    if (isByStaff && isAdmin(found) && !isAdmin({ ...found, ...fields }))
      await keepOther(accounts, name, session)
    await accounts.updateOne({ _id: name }, { $set: fields, $inc: { epoch: 1 } }, { session })
    await add({ act, subject: name, businessId: null, ...values })
    return true
  })

/** Only an admin who can sign in counts. */
const isAdmin = ({ role, disabledAt, passwordHash }: Staff): boolean =>
  role === 'admin' && disabledAt === null && passwordHash !== null

/**
 * Writes to the account of another admin that can sign in. If two admins disable each other at the same time, the later
 * one therefore conflicts, is repeated, and finds no other.
 */
async function keepOther(
  accounts: mongo.Collection<Staff>,
  name: string,
  session: mongo.ClientSession,
): Promise<void> {
  const other = { _id: { $ne: name }, role: 'admin', disabledAt: null, passwordHash: { $ne: null } } as const
  const { modifiedCount } = await accounts.updateOne(other, { $inc: { timesNeeded: 1 } }, { session })
  if (modifiedCount === 0) throw new LastAdmin('No other admin that can sign in would be left')
}

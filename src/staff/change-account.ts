import type { mongo } from 'mongoose'
import { newPasswordLink, type PasswordLinkDeps, randomCharGroups } from '../accounts/passwords.ts'
import type { AuditAction } from '../audit/acts.ts'
import type { AuditEvent } from '../audit/audit-event.ts'
import { type AuditedDeps, runAudited } from '../audit/audited.ts'
import { nullIfDuplicate, rawCollection } from '../mongo/collection.ts'
import type { Models } from '../platform/deps.ts'
import type { Author } from '../security/actor.ts'
import type { SlowHash } from '../security/slow-hash.ts'
import type { Staff } from './account.ts'
import type { StaffRole } from './permissions.ts'

type AccountDeps = Pick<Models, 'Staff'> & AuditedDeps & PasswordLinkDeps & { slowHash: SlowHash }
const linkPath = '/admin/set-password'
type NewAccount = { name: string; role: StaffRole }

/** Returns null if the name is taken. Not for production. */
export async function createAccount(deps: AccountDeps, account: NewAccount, by: Author) {
  const { password, passwordHash } = await newHashedPassword(deps)
  return (await insert(deps, account, by, { passwordHash, link: null })) && { name: account.name, password }
}

export async function createAccountWithLink(deps: AccountDeps, account: NewAccount, by: Author) {
  const { link, url } = newPasswordLink(deps, linkPath)
  return (await insert(deps, account, by, { passwordHash: null, link })) && { name: account.name, link: url }
}

/** About 118 bits of randomness. */
async function newHashedPassword({ slowHash }: AccountDeps) {
  const password = randomCharGroups(4, 6)
  return { password, passwordHash: await slowHash.make(password) }
}

const insert = (
  deps: AccountDeps,
  { name, role }: NewAccount,
  by: Author,
  { passwordHash, link }: Pick<Staff, 'passwordHash' | 'link'>,
): Promise<true | null> =>
  runAudited(deps, { documents: [name], by }, async ({ session, at, add }) => {
    const access = { passwordHash, link, passwordChangedAt: link ? null : at, secondFactor: null }
    const staff: Staff = { _id: name, role, ...access, epoch: 0, disabledAt: null, createdAt: at }
    await rawCollection(deps.Staff).insertOne(staff, { session })
    const about = { subject: name, businessId: null }
    await add({ ...about, act: 'staff.created', after: { role } })
    if (link !== null) await add({ ...about, act: 'staff.link-issued', after: { expiresAt: link.expiresAt } })
    return true as const
  }).catch(nullIfDuplicate)

export class LastAdminError extends Error {}

/** Also invalidates the account's password link. */
export const setStaffDisabled = (
  deps: AccountDeps,
  name: string,
  disabled: boolean,
  by: Author,
): Promise<boolean> =>
  change(deps, name, by, disabled ? 'staff.disabled' : 'staff.enabled', ({ disabledAt: before }, at) => {
    const disabledAt = disabled ? at : null
    if ((before !== null) === disabled) return null
    return { fields: { disabledAt, link: null }, before: { disabledAt: before }, after: { disabledAt } }
  })

export const changeRole = (deps: AccountDeps, name: string, role: StaffRole, by: Author): Promise<boolean> =>
  change(deps, name, by, 'staff.role-changed', ({ role: before }) =>
    role === before ? null : { fields: { role }, before: { role: before }, after: { role } },
  )

/** Returns null if there is no such account. Not for production. */
export async function renewPassword(deps: AccountDeps, name: string, by: Author): Promise<string | null> {
  const { password, passwordHash } = await newHashedPassword(deps)
  const isChanged = await change(deps, name, by, 'staff.password-changed', (_, at) => ({
    fields: { passwordHash, link: null, passwordChangedAt: at },
  }))
  return isChanged ? password : null
}

/** The old password stops working. */
export async function issuePasswordLink(deps: AccountDeps, name: string, by: Author) {
  const { link, url } = newPasswordLink(deps, linkPath)
  const isChanged = await change(deps, name, by, 'staff.link-issued', () => ({
    fields: { passwordHash: null, link, passwordChangedAt: null },
    after: { expiresAt: link.expiresAt },
  }))
  return isChanged ? { name, link: url } : null
}

export const removeSecondFactor = (deps: AccountDeps, name: string, by: Author): Promise<boolean> =>
  change(deps, name, by, 'staff.second-factor-removed', ({ secondFactor: before }) => {
    const { addedAt } = before ?? {}
    return addedAt ? { fields: { secondFactor: null }, before: { addedAt }, after: { addedAt: null } } : null
  })

type Change = { fields: Partial<Staff> } & Partial<Pick<AuditEvent, 'before' | 'after'>>

/** Every change ends all the account's sessions. */
const change = (
  deps: AccountDeps,
  name: string,
  by: Author,
  act: AuditAction,
  changeOf: (found: Staff, at: Date) => Change | null,
): Promise<boolean> =>
  runAudited(deps, { documents: [name, 'admins'], by }, async ({ session, at, add }) => {
    const accounts = rawCollection(deps.Staff)
    const found = await accounts.findOne({ _id: name }, { session })
    if (found === null) return false
    const wanted = changeOf(found, at)
    if (wanted === null) return true
    const { fields, ...values } = wanted
    // Operators may lock out the last admin, because they can create a new one.
    const isByStaff = by.actor.kind === 'staff'
    if (isByStaff && isAdmin(found) && !isAdmin({ ...found, ...fields }))
      await keepOther(accounts, name, session)
    await accounts.updateOne({ _id: name }, { $set: fields, $inc: { epoch: 1 } }, { session })
    await add({ act, subject: name, businessId: null, ...values })
    return true
  })

const isAdmin = ({ role, disabledAt, passwordHash }: Staff): boolean =>
  role === 'admin' && disabledAt === null && passwordHash !== null

/** If two admins disable each other at the same time, one of them fails. */
async function keepOther(accounts: mongo.Collection<Staff>, name: string, session: mongo.ClientSession) {
  const other = { _id: { $ne: name }, role: 'admin', disabledAt: null, passwordHash: { $ne: null } } as const
  const { modifiedCount } = await accounts.updateOne(other, { $inc: { timesNeeded: 1 } }, { session })
  if (modifiedCount === 0) throw new LastAdminError('No other admin that can sign in would be left')
}

import type { By } from '../audit/audit-event.ts'
import { type AuditedDeps, audited } from '../audit/audited.ts'
import { nativeCollection, nullIfDuplicate } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import type { SlowHash } from '../security/slow-hash.ts'
import type { Role, Staff } from './account.ts'
import { type LinkDeps, newLink } from './password-link.ts'
import { newPassword } from './passwords.ts'

export type AccountDeps = Pick<Models, 'Staff'> & AuditedDeps & { slowHash: SlowHash }

interface NewAccount {
  name: string
  role: Role
}

/**
 * Creates an account with a random password and returns that password. Only a hash of the password is stored. Returns
 * null if the name is taken. Use it only outside production.
 */
export async function createAccount(
  deps: AccountDeps,
  account: NewAccount,
  by: By,
): Promise<{ name: string; password: string } | null> {
  const password = newPassword()
  const passwordHash = await deps.slowHash.make(password)
  return (await insert(deps, account, by, { passwordHash, link: null })) && { name: account.name, password }
}

/**
 * Creates an account without a password, and returns the one-time link with which its owner sets one. Returns null if
 * the name is taken.
 */
export async function createAccountWithLink(
  deps: AccountDeps & LinkDeps,
  account: NewAccount,
  by: By,
): Promise<{ name: string; link: string } | null> {
  const { link, url } = newLink(deps)
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

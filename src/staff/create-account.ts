import { auditLine, type By } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import { isDuplicate, nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import type { SlowHash } from '../security/slow-hash.ts'
import type { Staff } from './account.ts'
import type { Role } from './account-fields.ts'
import { type LinkDeps, newLink } from './password-link.ts'
import { newPassword } from './passwords.ts'

export type AccountDeps = Pick<Models, 'Staff' | 'AuditEvent'> & {
  slowHash: SlowHash
  now(): Date
}

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
  const isNew = await insert(deps, account, by, {
    passwordHash: await deps.slowHash.make(password),
    link: null,
  })
  return isNew ? { name: account.name, password } : null
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
  const isNew = await insert(deps, account, by, { passwordHash: null, link })
  return isNew ? { name: account.name, link: url } : null
}

/** Inserts an account. Returns false if the name is taken. */
async function insert(
  deps: AccountDeps,
  { name, role }: NewAccount,
  by: By,
  access: Pick<Staff, 'passwordHash' | 'link'>,
): Promise<boolean> {
  const now = deps.now()
  const about = { at: now, ...by, subject: name, businessId: null }
  const staff: Staff = {
    _id: name,
    role,
    ...access,
    secondFactor: null,
    epoch: 0,
    disabledAt: null,
    createdAt: now,
    passwordChangedAt: access.passwordHash === null ? null : now,
    unaudited: [
      auditLine({ ...about, act: 'staff.created', after: { role } }),
      ...(access.link === null
        ? []
        : [auditLine({ ...about, act: 'staff.link-issued', after: { expiresAt: access.link.expiresAt } })]),
    ],
  }
  try {
    await nativeCollection(deps.Staff).insertOne(staff)
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
  await publishAudit(deps, deps.Staff, [staff])
  return true
}

import { auditLine, type By } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import { isDuplicate, nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import type { SlowHash } from '../security/slow-hash.ts'
import type { Role, Staff } from './account.ts'
import { newPassword } from './passwords.ts'

export type AccountDeps = Pick<Models, 'Staff' | 'AuditEvent'> & {
  slowHash: SlowHash
  now(): Date
}

/**
 * Creates an account with a random password and returns that password. Only a hash of the password is stored. Returns
 * null if the name is taken.
 */
export async function createAccount(
  deps: AccountDeps,
  { name, role }: { name: string; role: Role },
  by: By,
): Promise<{ name: string; password: string } | null> {
  const password = newPassword()
  const now = deps.now()
  const staff: Staff = {
    _id: name,
    role,
    passwordHash: await deps.slowHash.make(password),
    epoch: 0,
    disabledAt: null,
    createdAt: now,
    passwordChangedAt: now,
    unaudited: [
      auditLine({
        at: now,
        ...by,
        act: 'staff.created',
        subject: name,
        businessId: null,
        before: null,
        after: { role },
      }),
    ],
  }
  try {
    await nativeCollection(deps.Staff).insertOne(staff)
  } catch (error) {
    if (isDuplicate(error)) return null
    throw error
  }
  await publishAudit(deps, deps.Staff, [staff])
  return { name, password }
}

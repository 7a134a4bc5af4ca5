import type { Act } from '../audit/acts.ts'
import { type AuditEvent, auditLine, type By } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import type { Staff } from './account.ts'
import type { Role } from './account-fields.ts'
import type { AccountDeps } from './create-account.ts'
import { type LinkDeps, newLink } from './password-link.ts'
import { newPassword } from './passwords.ts'

/**
 * Disables or enables an account, ends its sessions, and makes its link invalid. Returns false if there is no such
 * account.
 */
export async function setDisabled(deps: AccountDeps, name: string, disabled: boolean, by: By): Promise<boolean> {
  const disabledAt = disabled ? deps.now() : null
  return change(deps, name, by, {
    act: disabled ? 'staff.disabled' : 'staff.enabled',
    isDone: (staff) => (staff.disabledAt !== null) === disabled,
    fields: { disabledAt, link: null },
    audited: ({ disabledAt: before }) => ({ before: { disabledAt: before }, after: { disabledAt } }),
  })
}

/** Changes an account's role and ends its sessions. Returns false if there is no such account. */
export async function changeRole(deps: AccountDeps, name: string, role: Role, by: By): Promise<boolean> {
  return change(deps, name, by, {
    act: 'staff.role-changed',
    isDone: (staff) => staff.role === role,
    fields: { role },
    audited: ({ role: before }) => ({ before: { role: before }, after: { role } }),
  })
}

/**
 * Sets a new random password and ends the account's sessions. Returns the password, or null if there is no such
 * account. Only a hash of the password is stored. Use it only outside production.
 */
export async function renewPassword(deps: AccountDeps, name: string, by: By): Promise<string | null> {
  const password = newPassword()
  const changed = await change(deps, name, by, {
    act: 'staff.password-changed',
    isDone: () => false,
    fields: {
      passwordHash: await deps.slowHash.make(password),
      link: null,
      passwordChangedAt: deps.now(),
    },
    audited: () => ({ before: null, after: null }),
  })
  return changed ? password : null
}

/**
 * Issues a one-time link for a new password, which replaces any earlier link. The old password stops working, and the
 * account's sessions end. Returns null if there is no such account.
 */
export async function issueLink(
  deps: AccountDeps & LinkDeps,
  name: string,
  by: By,
): Promise<{ name: string; link: string } | null> {
  const { link, url } = newLink(deps)
  const changed = await change(deps, name, by, {
    act: 'staff.link-issued',
    isDone: () => false,
    fields: { passwordHash: null, link, passwordChangedAt: null },
    audited: () => ({ before: null, after: { expiresAt: link.expiresAt } }),
  })
  return changed ? { name, link: url } : null
}

/**
 * Removes an account's second factor with its recovery codes, and ends the account's sessions. Returns false if there
 * is no such account.
 */
export async function removeSecondFactor(deps: AccountDeps, name: string, by: By): Promise<boolean> {
  return change(deps, name, by, {
    act: 'staff.second-factor-removed',
    isDone: (staff) => staff.secondFactor === null,
    fields: { secondFactor: null },
    audited: ({ secondFactor }) => ({
      before: { addedAt: secondFactor?.addedAt ?? null },
      after: { addedAt: null },
    }),
  })
}

interface Change {
  act: Act
  isDone(staff: Staff): boolean
  fields: Partial<Staff>
  /** Returns the changed fields, with their old and new values, for the audit trail. */
  audited(staff: Staff): Pick<AuditEvent, 'before' | 'after'>
}

/**
 * Makes a change to an account in a single write, which also ends all of the account's sessions and adds the audit
 * line. The write succeeds only if the epoch has not changed since the account was read.
 */
async function change(deps: AccountDeps, name: string, by: By, wanted: Change): Promise<boolean> {
  const found = await deps.Staff.findOne({ _id: name }).lean<Staff | null>()
  if (found === null) return false
  if (wanted.isDone(found)) return true
  const about = { at: deps.now(), ...by, act: wanted.act, subject: name, businessId: null }
  const line = auditLine({ ...about, ...wanted.audited(found) })
  const changed = await deps.Staff.findOneAndUpdate(
    { _id: name, epoch: found.epoch },
    { $set: wanted.fields, $inc: { epoch: 1 }, $push: { unaudited: line } },
    { returnDocument: 'after' },
  ).lean<Staff | null>()
  // Another request or command has changed the account in the meantime, so it must be read again.
  if (changed === null) return change(deps, name, by, wanted)
  await publishAudit(deps, deps.Staff, [changed])
  return true
}

import type { Act } from '../audit/acts.ts'
import { type AuditEvent, auditLine, type By } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import type { Staff } from './account.ts'
import type { AccountDeps } from './create-account.ts'
import { newPassword } from './passwords.ts'

/** Disables or enables an account, and ends its sessions. Returns false if there is no such account. */
export async function setDisabled(
  deps: AccountDeps,
  name: string,
  disabled: boolean,
  by: By,
): Promise<boolean> {
  const disabledAt = disabled ? deps.now() : null
  return change(deps, name, by, {
    act: disabled ? 'staff.disabled' : 'staff.enabled',
    isDone: (staff) => (staff.disabledAt !== null) === disabled,
    fields: { disabledAt },
    audited: ({ disabledAt: before }) => ({ before: { disabledAt: before }, after: { disabledAt } }),
  })
}

/**
 * Sets a new random password and ends the account's sessions. Returns the password, or null if there is no such
 * account. Only a hash of the password is stored.
 */
export async function renewPassword(deps: AccountDeps, name: string, by: By): Promise<string | null> {
  const password = newPassword()
  const changed = await change(deps, name, by, {
    act: 'staff.password-changed',
    isDone: () => false,
    fields: { passwordHash: await deps.slowHash.make(password), passwordChangedAt: deps.now() },
    audited: () => ({ before: null, after: null }),
  })
  return changed ? password : null
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

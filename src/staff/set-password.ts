import { setTimeout as pause } from 'node:timers/promises'
import { auditLine } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import type { Deps } from '../deps.ts'
import type { SlowHash } from '../security/slow-hash.ts'
import type { Staff } from './account.ts'
import type { SignedIn } from './find-session.ts'
import { findByLink, withLink } from './password-link.ts'
import { passwordFault } from './passwords.ts'
import { largestPrefixOf, recordRefusal } from './sign-in.ts'
import type { SignInChecks } from './sign-in-limit.ts'

/**
 * The result of setting a password. `invalid` contains why the new password is not accepted. `refused` means that the
 * link is not valid, or that the old password is wrong.
 */
export type SetPasswordResult =
  | { outcome: 'done'; name: string }
  | { outcome: 'invalid'; fault: string }
  | { outcome: 'refused' }
  | { outcome: 'wait'; seconds: number }
  | { outcome: 'busy' }

type PasswordDeps = Pick<Deps, 'Staff' | 'StaffSession' | 'AuditEvent' | 'secrets' | 'now'> & {
  slowHash: Pick<SlowHash, 'make'>
} & Pick<SignInChecks, 'countAttempt' | 'checkPassword'>

/**
 * Sets a password with a one-time link and ends the account's sessions. The write also uses up the link, so of several
 * concurrent requests, only one succeeds.
 */
export async function setPasswordByLink(
  deps: PasswordDeps,
  { token, password, ip }: { token: string; password: string; ip: string },
): Promise<SetPasswordResult> {
  const name = await findByLink(deps, token)
  if (name === null) return { outcome: 'refused' }
  const fault = passwordFault(name, password)
  if (fault !== null) return { outcome: 'invalid', fault }
  // The limit bounds the number of hashes that the service computes for the holder of a link.
  const attempt = await deps.countAttempt(name, ip)
  if (!attempt.isOpen) return { outcome: 'wait', seconds: Math.ceil(attempt.closedMs / 1000) }
  const set = await write(deps, { name, password, ip, means: 'link' }, withLink(deps, token))
  if (set === null) return { outcome: 'refused' }
  await attempt.takeBack(true)
  return { outcome: 'done', name }
}

/**
 * Changes the password of a signed-in member of staff, who must enter the old one. All of the account's other sessions
 * end.
 */
export async function changeOwnPassword(
  deps: PasswordDeps,
  { name, sessionId }: SignedIn,
  { old, password, ip }: { old: string; password: string; ip: string },
): Promise<SetPasswordResult> {
  const fault = password === old ? 'The new password is the same as the old one.' : passwordFault(name, password)
  if (fault !== null) return { outcome: 'invalid', fault }
  const attempt = await deps.countAttempt(name, ip)
  if (!attempt.isOpen) return { outcome: 'wait', seconds: Math.ceil(attempt.closedMs / 1000) }
  await pause(attempt.delayMs)
  const staff = await deps.Staff.findOne({ _id: name, disabledAt: null }).lean<Staff | null>()
  const isRight = await deps.checkPassword(largestPrefixOf(ip), staff?.passwordHash ?? null, old)
  if (isRight === null) {
    await attempt.takeBack(false)
    return { outcome: 'busy' }
  }
  if (staff === null) return { outcome: 'refused' }
  if (!isRight) {
    await recordRefusal(deps, { subject: name, signedInAs: name, ip }, 'wrong old password')
    return { outcome: 'refused' }
  }
  const { epoch } = staff
  const set = await write(deps, { name, password, ip, means: 'old password' }, { epoch, disabledAt: null })
  if (set === null) return { outcome: 'refused' }
  // If the process is killed here, this session has ended too, and its owner signs in with the new password.
  await deps.StaffSession.updateOne({ staffName: name, sessionId, epoch }, { $set: { epoch: set.epoch } })
  await attempt.takeBack(true)
  return { outcome: 'done', name }
}

/** Sets the password, and ends the account's sessions and its link. Returns null if the guard does not hold. */
async function write(
  deps: PasswordDeps,
  { name, password, ip, means }: { name: string; password: string; ip: string; means: string },
  guard: object,
): Promise<Staff | null> {
  const passwordHash = await deps.slowHash.make(password)
  const at = deps.now()
  const line = auditLine({
    at,
    actor: { kind: 'staff', name, from: ip },
    reason: null,
    act: 'staff.password-changed',
    subject: name,
    businessId: null,
    after: { with: means },
  })
  const changed = await deps.Staff.findOneAndUpdate(
    { _id: name, ...guard },
    {
      $set: { passwordHash, passwordChangedAt: at, link: null },
      $inc: { epoch: 1 },
      $push: { unaudited: line },
    },
    { returnDocument: 'after' },
  ).lean<Staff | null>()
  if (changed !== null) await publishAudit(deps, deps.Staff, [changed])
  return changed
}

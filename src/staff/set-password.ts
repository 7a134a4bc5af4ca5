import { runAudited } from '../audit/audited.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import type { Author } from '../security/actor.ts'
import type { Staff } from './account.ts'
import { findByPasswordLink, passwordFault, validLinkFilter } from './passwords.ts'
import { type IdentityProofFailure, proveIdentity, WrongProofError } from './proof.ts'
import { largestPrefix, type SignInDeps } from './sign-in.ts'
import { byStaffMember, type SignedInStaff } from './staff-sessions.ts'

/** `refused` means that the link isn't valid or the old password is wrong. */
type SetPasswordResult = { outcome: 'done' } | { outcome: 'invalid'; fault: string } | IdentityProofFailure

type PasswordDeps = SignInDeps & Pick<Deps, 'slowHash'>

/** Of several concurrent requests with one link, only one succeeds. */
export async function setPasswordByLink(
  deps: PasswordDeps,
  { token, password, ip }: { token: string; password: string; ip: string },
): Promise<SetPasswordResult> {
  const name = await findByPasswordLink(deps, token)
  if (name === null) return { outcome: 'refused' }
  const fault = passwordFault(name, password)
  if (fault !== null) return { outcome: 'invalid', fault }
  // Without a limit, a link's holder could cause any number of slow hashes.
  const attempt = await deps.countAttempt(name, ip)
  if (!attempt.isOpen) return { outcome: 'wait', seconds: Math.ceil(attempt.closedMs / 1000) }
  const by = byStaffMember(name, ip)
  const set = await write(deps, { name, password, by }, 'link', validLinkFilter(deps, token))
  if (!set) return { outcome: 'refused' }
  await attempt.takeBack(true)
  return { outcome: 'done' }
}

export async function changeOwnPassword(
  deps: PasswordDeps,
  { name, sessionId, expectValid }: SignedInStaff,
  { old, password, ip }: { old: string; password: string; ip: string },
): Promise<SetPasswordResult> {
  const fault =
    password === old ? 'The new password is the same as the old one.' : passwordFault(name, password)
  if (fault !== null) return { outcome: 'invalid', fault }
  const by = { ...byStaffMember(name, ip), expectValid }
  return proveIdentity(deps, deps.countAttempt(name, ip), by, async () => {
    const staff = await deps.Staff.findOne({ _id: name, disabledAt: null }).lean<Staff | null>()
    const isRight = await deps.checkPassword(largestPrefix(ip), staff?.passwordHash ?? null, old)
    if (isRight === null) return { outcome: 'busy' }
    if (staff === null) return { outcome: 'refused' }
    if (!isRight) throw new WrongProofError(name, 'wrong old password')
    const guard = { epoch: staff.epoch, disabledAt: null }
    const set = await write(deps, { name, password, by }, 'old password', guard, sessionId)
    return set ? { outcome: 'done' } : { outcome: 'refused' }
  })
}

async function write(
  deps: PasswordDeps,
  { name, password, by }: { name: string; password: string; by: Author },
  means: 'link' | 'old password',
  guard: object,
  keptId = '',
): Promise<boolean> {
  const passwordHash = await deps.slowHash.make(password)
  return runAudited(deps, { documents: [name], by }, async ({ session, at, add }) => {
    const changed = await rawCollection(deps.Staff).findOneAndUpdate(
      { _id: name, ...guard },
      { $set: { passwordHash, passwordChangedAt: at, link: null }, $inc: { epoch: 1 } },
      { session, returnDocument: 'after' },
    )
    if (changed === null) return false
    const { epoch } = changed
    const kept = { staffName: name, sessionId: keptId, epoch: epoch - 1 }
    await rawCollection(deps.StaffSession).updateOne(kept, { $set: { epoch } }, { session })
    await add({ act: 'staff.password-changed', subject: name, businessId: null, after: { with: means } })
    return true
  })
}

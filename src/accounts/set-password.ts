import { runAudited } from '../audit/audited.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import type { Author } from '../security/actor.ts'
import { type Account, nameOf } from './account.ts'
import { findByPasswordLink, type PasswordFault, passwordFault, validLinkFilter } from './passwords.ts'
import { type IdentityProofFailure, proveIdentity, WrongProofError } from './proof.ts'
import { byAccount, type SignedIn } from './sessions.ts'
import { largestPrefix, type SignInDeps } from './sign-in.ts'

/** `refused` means that the link isn't valid or the old password is wrong. */
type SetPasswordResult =
  | { outcome: 'done' }
  | { outcome: 'invalid'; fault: PasswordFault }
  | IdentityProofFailure

type PasswordDeps = SignInDeps & Pick<Deps, 'slowHash'>

/** Of several concurrent requests with one link, only one succeeds. */
export async function setPasswordByLink(
  deps: PasswordDeps,
  { token, password, ip }: { token: string; password: string; ip: string },
): Promise<SetPasswordResult> {
  const account = await findByPasswordLink(deps, token)
  if (account === null) return { outcome: 'refused' }
  const { _id: id } = account
  const fault = passwordFault(nameOf(deps, account), password)
  if (fault !== null) return { outcome: 'invalid', fault }
  // Without a limit, a link's holder could cause any number of slow hashes.
  const attempt = await deps.countAttempt(id, ip)
  if (!attempt.isOpen) return { outcome: 'wait', seconds: Math.ceil(attempt.closedMs / 1000) }
  const by = byAccount(deps, id, ip)
  const set = await write(deps, { id, password, by }, 'link', validLinkFilter(deps, token))
  if (!set) return { outcome: 'refused' }
  await attempt.takeBack(true)
  return { outcome: 'done' }
}

export async function changeOwnPassword(
  deps: PasswordDeps,
  { id, name, sessionId, expectValid }: SignedIn,
  { old, password, ip }: { old: string; password: string; ip: string },
): Promise<SetPasswordResult> {
  const fault = password === old ? 'same' : passwordFault(name, password)
  if (fault !== null) return { outcome: 'invalid', fault }
  const by = { ...byAccount(deps, id, ip), expectValid }
  return proveIdentity(deps, deps.countAttempt(id, ip), by, async () => {
    const account = await deps.Account.findOne({ _id: id, disabledAt: null }).lean<Account | null>()
    const isRight = await deps.checkPassword(largestPrefix(ip), account?.passwordHash ?? null, old)
    if (isRight === null) return { outcome: 'busy' }
    if (account === null) return { outcome: 'refused' }
    if (!isRight) throw new WrongProofError(id, 'wrong old password')
    const guard = { epoch: account.epoch, disabledAt: null }
    const set = await write(deps, { id, password, by }, 'old password', guard, sessionId)
    return set ? { outcome: 'done' } : { outcome: 'refused' }
  })
}

async function write(
  deps: PasswordDeps,
  { id, password, by }: { id: string; password: string; by: Author },
  means: 'link' | 'old password',
  guard: object,
  keptId = '',
): Promise<boolean> {
  const passwordHash = await deps.slowHash.make(password)
  return runAudited(deps, { documents: [id], by }, async ({ session, at, add }) => {
    const changed = await rawCollection(deps.Account).findOneAndUpdate(
      { _id: id, ...guard },
      { $set: { passwordHash, passwordChangedAt: at, link: null }, $inc: { epoch: 1 } },
      { session, returnDocument: 'after' },
    )
    if (changed === null) return false
    const { epoch } = changed
    const kept = { [deps.accountKind.owner]: id, sessionId: keptId, epoch: epoch - 1 }
    await rawCollection(deps.AccountSession).updateOne(kept, { $set: { epoch } }, { session })
    const act = `${deps.accountKind.noun}.password-changed` as const
    await add({ act, subject: id, businessId: null, after: { with: means } })
    return true
  })
}

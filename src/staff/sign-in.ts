import { runAudited } from '../audit/audited.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import { ipPrefixesOf } from '../platform/network.ts'
import type { Staff } from './account.ts'
import { isValidStaffName } from './permissions.ts'
import {
  byStranger,
  type IdentityProofFailure,
  proveByCode,
  proveIdentity,
  WrongProofError,
} from './proof.ts'
import type { SignInChecks } from './sign-in-limit.ts'
import { byStaffMember, type OpenSession, openSession, type SignInClient } from './staff-sessions.ts'

/** With `code-required`, the token belongs to a pending session. */
type SignInResult =
  | { outcome: 'signed-in'; token: string }
  | { outcome: 'code-required'; token: string }
  | IdentityProofFailure

type SessionDeps = Pick<Deps, 'Staff' | 'StaffSession' | 'AuditEvent' | 'secrets' | 'now' | 'transactions'>
export type SignInDeps = SessionDeps & SignInChecks

const maxNameLength = 64
/** An unknown name may be a password, so the audit trail omits it. */
const unknownName = 'unknown name'

/** Only the audit trail shows why a sign-in was refused. */
export async function signIn(
  deps: SignInDeps,
  { password, client, ...input }: { name: string; password: string; client: SignInClient },
): Promise<SignInResult> {
  const { ip } = client
  const name = Array.from(input.name.trim().toLowerCase().toWellFormed()).slice(0, maxNameLength).join('')
  return proveIdentity(deps, deps.countAttempt(name, ip), byStranger(ip), async () => {
    const staff = isValidStaffName(name) ? await deps.Staff.findOne({ _id: name }).lean<Staff | null>() : null
    const isRight = await deps.checkPassword(largestPrefix(ip), staff?.passwordHash ?? null, password)
    if (isRight === null) return { outcome: 'busy' }
    if (staff === null) throw new WrongProofError(unknownName, 'no such account')
    if (!isRight) throw new WrongProofError(name, 'wrong password')
    if (staff.disabledAt !== null) throw new WrongProofError(name, 'the account is disabled')
    if (staff.secondFactor !== null)
      return { outcome: 'code-required', token: await openSession(deps, null, staff, client) }
    const options = { documents: [], by: byStaffMember(name, ip) }
    const token = await runAudited(deps, options, (act) => openSession(deps, act, staff, client))
    return { outcome: 'signed-in', token }
  })
}

/** Sign-ins from this prefix share a limit on password checks. */
export const largestPrefix = (ip: string): string => ipPrefixesOf(ip).at(-1)?.range ?? ''

/** The code works only once, and so does the pending session. */
export function confirmSignIn(
  deps: SignInDeps,
  { session: { _id }, staff }: OpenSession,
  { code, client }: { code: string; client: SignInClient },
): Promise<{ outcome: 'signed-in'; token: string } | IdentityProofFailure> {
  const { ip } = client
  const entered = { code, ip, by: byStaffMember(staff._id, ip), enteredBy: byStranger(ip) }
  return proveByCode(deps, staff, entered, async (act, use) => {
    const { modifiedCount } = await rawCollection(deps.StaffSession).updateOne(
      { _id, endedAt: null },
      { $set: { endedAt: act.at } },
      { session: act.session },
    )
    if (modifiedCount === 0) throw new WrongProofError(staff._id, 'the sign-in was already completed')
    return { outcome: 'signed-in', token: await openSession(deps, act, staff, client, await use()) }
  })
}

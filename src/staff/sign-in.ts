import { audited } from '../audit/audited.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import { prefixesOf } from '../platform/network.ts'
import type { Staff } from './account.ts'
import { isValidStaffName } from './permissions.ts'
import { byStranger, prove, proveByCode, type Unproven, WrongProof } from './proof.ts'
import { pendingText } from './session.ts'
import type { SignInChecks } from './sign-in-limit.ts'
import {
  byOwner,
  findOpenSession,
  type OwnForms,
  openPendingSession,
  openSession,
  ownForms,
  type SignInClient,
} from './staff-sessions.ts'

/**
 * `token` is the value for the cookie; MongoDB stores only its hash. With `code-required`, it's the token of a pending
 * session, because the second factor is still missing.
 */
export type SignInResult =
  | { outcome: 'signed-in'; token: string }
  | { outcome: 'code-required'; token: string }
  | Unproven

export type SignInDeps = Pick<
  Deps,
  'Staff' | 'StaffSession' | 'AuditEvent' | 'secrets' | 'now' | 'transactions'
> &
  SignInChecks

/** Additional characters are ignored. */
const maxNameLength = 64
/** For the audit trail: people sometimes type their password into the name field. Not a valid account name. */
const unknownName = 'unknown name'

/**
 * Opens a session, or a pending one if the account has a second factor. An unknown name, a wrong password and a
 * disabled account cost the same work and look the same; only the audit trail shows which it was.
 */
export async function signIn(
  deps: SignInDeps,
  { password, client, ...input }: { name: string; password: string; client: SignInClient },
): Promise<SignInResult> {
  const { ip } = client
  const name = Array.from(input.name.trim().toLowerCase().toWellFormed()).slice(0, maxNameLength).join('')
  return prove(deps, deps.countAttempt(name, ip), byStranger(ip), async () => {
    const staff = isValidStaffName(name) ? await deps.Staff.findOne({ _id: name }).lean<Staff | null>() : null
    const isRight = await deps.checkPassword(largestPrefixOf(ip), staff?.passwordHash ?? null, password)
    if (isRight === null) return { outcome: 'busy' }
    if (staff === null) throw new WrongProof(unknownName, 'no such account')
    if (!isRight) throw new WrongProof(name, 'wrong password')
    if (staff.disabledAt !== null) throw new WrongProof(name, 'the account is disabled')
    if (staff.secondFactor !== null)
      return { outcome: 'code-required', token: await openPendingSession(deps, staff, client) }
    const by = byOwner(name, ip)
    const token = await audited(deps, { documents: [], by }, (act) =>
      openSession(deps, act, staff, client, null),
    )
    return { outcome: 'signed-in', token }
  })
}

/** All sign-ins from here share one limit on password checks: one provider can't use up what others need. */
export const largestPrefixOf = (ip: string): string => prefixesOf(ip).at(-1)?.range ?? ''

export interface PendingSignIn extends OwnForms {
  id: string
  staff: Staff
}

/** Null if it doesn't exist, has expired or was used. Whatever ends the account's sessions ends it too. */
export async function findPending(
  deps: Pick<Deps, 'Staff' | 'StaffSession' | 'secrets' | 'now'>,
  token: string,
): Promise<PendingSignIn | null> {
  const found = await findOpenSession(deps, token, { isPending: true })
  return found === null
    ? null
    : { id: found.session._id, staff: found.staff, ...ownForms(deps, pendingText(token)) }
}

/** `code` is one of the authenticator app, or a recovery code. It works only once, and so does the pending session. */
export function confirmSignIn(
  deps: SignInDeps,
  { id, staff }: PendingSignIn,
  { code, client }: { code: string; client: SignInClient },
): Promise<{ outcome: 'signed-in'; token: string } | Unproven> {
  const { ip } = client
  const entered = { code, ip, by: byOwner(staff._id, ip), enteredBy: byStranger(ip) }
  return proveByCode(deps, staff, entered, async (act, use) => {
    const { modifiedCount } = await nativeCollection(deps.StaffSession).updateOne(
      { _id: id, endedAt: null },
      { $set: { endedAt: act.at } },
      { session: act.session },
    )
    if (modifiedCount === 0) throw new WrongProof(staff._id, 'the sign-in was already completed')
    return { outcome: 'signed-in', token: await openSession(deps, act, staff, client, await use()) }
  })
}

import { audited } from '../audit/audited.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import { prefixesOf } from '../platform/network.ts'
import type { Staff } from './account.ts'
import { isStaffName } from './permissions.ts'
import { byStranger, prove, proveByCode, type Unproven, WrongProof } from './proof.ts'
import { pendingText } from './session.ts'
import type { SignInChecks } from './sign-in-limit.ts'
import {
  byOwner,
  type Client,
  findOpen,
  type OwnForms,
  openPendingSession,
  openSession,
  ownForms,
} from './staff-sessions.ts'

/**
 * The result of an attempt to sign in. `token` is the value for the cookie. MongoDB stores only a hash of the token.
 * With `code-required`, it is the token of a pending session, and the second factor is still missing.
 */
export type SignInResult =
  | { outcome: 'signed-in'; token: string }
  | { outcome: 'code-required'; token: string }
  | Unproven

export type SignInDeps = Pick<Deps, 'Staff' | 'StaffSession' | 'AuditEvent' | 'secrets' | 'now' | 'transactions'> &
  SignInChecks

/** The maximum length of an account name. Additional characters are ignored. */
const maxNameLength = 64
/**
 * The audit trail contains this text instead of an unknown name, because people sometimes type their password into the
 * name field. The text is not a valid account name.
 */
const unknownName = 'unknown name'

/**
 * Signs in a member of staff with a password, or opens a pending session if the account has a second factor. An
 * unknown name, a wrong password and a disabled account require the same work and produce the same result. Only the
 * audit trail shows which of these was the reason.
 */
export async function signIn(
  deps: SignInDeps,
  { password, client, ...input }: { name: string; password: string; client: Client },
): Promise<SignInResult> {
  const { ip } = client
  const name = Array.from(input.name.trim().toLowerCase().toWellFormed()).slice(0, maxNameLength).join('')
  return prove(deps, deps.countAttempt(name, ip), byStranger(ip), async () => {
    const staff = isStaffName(name) ? await deps.Staff.findOne({ _id: name }).lean<Staff | null>() : null
    const isRight = await deps.checkPassword(largestPrefixOf(ip), staff?.passwordHash ?? null, password)
    if (isRight === null) return { outcome: 'busy' }
    if (staff === null) throw new WrongProof(unknownName, 'no such account')
    if (!isRight) throw new WrongProof(name, 'wrong password')
    if (staff.disabledAt !== null) throw new WrongProof(name, 'the account is disabled')
    if (staff.secondFactor !== null)
      return { outcome: 'code-required', token: await openPendingSession(deps, staff, client) }
    const by = byOwner(name, ip)
    const token = await audited(deps, { documents: [], by }, (act) => openSession(deps, act, staff, client, null))
    return { outcome: 'signed-in', token }
  })
}

/**
 * Returns the largest prefix of an address. All attempts from that prefix share one limit on password checks, so that
 * one provider cannot use up the checks available to other networks.
 */
export const largestPrefixOf = (ip: string): string => prefixesOf(ip).at(-1)?.range ?? ''

/** A sign-in that still needs the second factor. */
export interface PendingSignIn extends OwnForms {
  id: string
  staff: Staff
}

/**
 * Returns the pending session with this token, or null if it does not exist, has expired, or was used. A pending
 * session also ends with every change that ends the account's sessions.
 */
export async function findPending(
  deps: Pick<Deps, 'Staff' | 'StaffSession' | 'secrets' | 'now'>,
  token: string,
): Promise<PendingSignIn | null> {
  const found = await findOpen(deps, token, { isPending: true })
  return found === null ? null : { id: found.session._id, staff: found.staff, ...ownForms(deps, pendingText(token)) }
}

/**
 * Completes a sign-in with a code of the account's authenticator app or with a recovery code. Both the code and the
 * pending session can be used only once.
 */
export function confirmSignIn(
  deps: SignInDeps,
  { id, staff }: PendingSignIn,
  { code, client }: { code: string; client: Client },
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

import { setTimeout as pause } from 'node:timers/promises'
import { auditLine } from '../audit/audit-event.ts'
import { audited } from '../audit/audited.ts'
import { addShared } from '../audit/share.ts'
import type { Deps } from '../deps.ts'
import { networkOf, prefixesOf } from '../security/network.ts'
import type { Staff } from './account.ts'
import { isStaffName } from './account-fields.ts'
import { byOwner, type Client, openPendingSession, openSession } from './open-session.ts'
import type { SignInChecks } from './sign-in-limit.ts'

/**
 * The result of an attempt to sign in. `token` is the value for the cookie. MongoDB stores only a hash of the token.
 * With `code-required`, it is the token of a pending session, and the second factor is still missing. `refused` does
 * not include a reason, so that a stranger learns nothing.
 */
export type SignInResult =
  | { outcome: 'signed-in'; token: string }
  | { outcome: 'code-required'; token: string }
  | { outcome: 'refused' }
  | { outcome: 'wait'; seconds: number }
  | { outcome: 'busy' }

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
  const attempt = await deps.countAttempt(name, ip)
  if (!attempt.isOpen) return { outcome: 'wait', seconds: Math.ceil(attempt.closedMs / 1000) }
  await pause(attempt.delayMs)
  const staff = isStaffName(name) ? await deps.Staff.findOne({ _id: name }).lean<Staff | null>() : null
  const isRight = await deps.checkPassword(largestPrefixOf(ip), staff?.passwordHash ?? null, password)
  if (isRight === null) {
    await attempt.takeBack(false)
    return { outcome: 'busy' }
  }
  if (staff === null || !isRight || staff.disabledAt !== null) {
    const subject = staff?._id ?? unknownName
    await recordRefusal(deps, { subject, signedInAs: null, ip }, reasonOf(staff, isRight))
    return { outcome: 'refused' }
  }
  const open = () =>
    audited(deps, { documents: [], by: byOwner(name, ip) }, (act) => openSession(deps, act, staff, client, null))
  const result: SignInResult =
    staff.secondFactor === null
      ? { outcome: 'signed-in', token: await open() }
      : { outcome: 'code-required', token: await openPendingSession(deps, staff, client) }
  await attempt.takeBack(true)
  return result
}

/**
 * Returns the largest prefix of an address. All attempts from that prefix share one limit on password checks, so that
 * one provider cannot use up the checks available to other networks.
 */
export const largestPrefixOf = (ip: string): string => prefixesOf(ip).at(-1)?.range ?? ''

const reasonOf = (staff: Staff | null, isRight: boolean): string => {
  if (staff === null) return 'no such account'
  return isRight ? 'the account is disabled' : 'wrong password'
}

interface RefusedProof {
  /** The account whose password or code was entered. */
  subject: string
  /** The account of the session in which it was entered, or null if the person was not signed in. */
  signedInAs: string | null
  ip: string
}

/** The actor of a refused sign-in, because nothing proves who made it. The text is not a valid account name. */
const unprovenActor = 'not signed in'

/**
 * Records a wrong password or code. The first refusal of a network and hour has a line of its own. The others share
 * one, with the names and reasons, so that a flood cannot fill the audit trail.
 */
export async function recordRefusal(
  deps: Pick<Deps, 'AuditEvent' | 'now'>,
  { subject, signedInAs, ip }: RefusedProof,
  reason: string,
): Promise<void> {
  const about = { act: 'staff.sign-in-refused', subject, businessId: null, after: { reason } } as const
  const line = auditLine(byOwner(signedInAs ?? unprovenActor, ip), deps.now(), about)
  await addShared(deps, `sign-in ${networkOf(ip)} ${signedInAs ?? ''}`, line, `${subject}: ${reason}`)
}

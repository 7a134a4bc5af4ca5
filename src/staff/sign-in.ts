import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Actor, auditLine } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { prefixesOf } from '../security/network.ts'
import type { SlowCheck } from '../security/slow-hash.ts'
import { isStaffName, type Staff } from './account.ts'
import { type StaffSession, sessionLifetimeMs } from './session.ts'
import type { CountTry } from './sign-in-limit.ts'

/** What became of a try. `token` is for the cookie and is seen only here; `refused` does not say why. */
export type SignIn =
  | { outcome: 'signed-in'; token: string }
  | { outcome: 'refused' }
  | { outcome: 'wait'; seconds: number }
  | { outcome: 'busy' }

type SignInDeps = Pick<Deps, 'Staff' | 'StaffSession' | 'AuditEvent' | 'secrets' | 'now'> & {
  countTry: CountTry
  checkPassword: SlowCheck
}

/** The longest name of an account; of what a stranger typed no more is looked at. */
const maxNameLength = 64
/** In the trail, for a name that nobody has: people type passwords where the name belongs. No account is called so. */
const unknownName = 'unknown name'

/**
 * Signs somebody in under a fresh token. An unknown name, a wrong password and a disabled account cost the same work and
 * get the same answer; only the audit trail knows which it was.
 */
export async function signIn(
  deps: SignInDeps,
  asked: { name: string; password: string; ip: string },
): Promise<SignIn> {
  const name = Array.from(asked.name.trim().toLowerCase().toWellFormed()).slice(0, maxNameLength).join('')
  const counted = await deps.countTry(name, asked.ip)
  if (!counted.isOpen) return { outcome: 'wait', seconds: Math.ceil(counted.closedMs / 1000) }
  await pause(counted.delayMs)
  const staff = isStaffName(name) ? await deps.Staff.findOne({ _id: name }).lean<Staff | null>() : null
  const fits = await deps.checkPassword(
    largestPrefixOf(asked.ip),
    staff?.passwordHash ?? null,
    asked.password,
  )
  if (fits === null) {
    await counted.takeBack(false)
    return { outcome: 'busy' }
  }
  const actor: Actor = { kind: 'staff', name: staff?._id ?? unknownName, ip: asked.ip }
  if (staff === null || !fits || staff.disabledAt !== null) {
    await recordRefusal(deps, actor, reasonOf(staff, fits))
    return { outcome: 'refused' }
  }
  const token = await openSession(deps, staff, actor)
  await counted.takeBack(true)
  return { outcome: 'signed-in', token }
}

/** Whose share of the checks an attempt takes: of one provider at most, so that it cannot make the sign-in busy for staff elsewhere. */
const largestPrefixOf = (ip: string): string => prefixesOf(ip).at(-1)?.range ?? ''

const reasonOf = (staff: Staff | null, fits: boolean): string => {
  if (staff === null) return 'no such account'
  return fits ? 'the account is disabled' : 'wrong password'
}

/** Nothing was changed, so the line travels in no other write. As many come as the limit lets through. */
async function recordRefusal(deps: SignInDeps, actor: Actor, reason: string): Promise<void> {
  const line = auditLine({
    at: deps.now(),
    actor,
    act: 'staff.sign-in-refused',
    subject: actor.name,
    businessId: null,
    before: null,
    after: { reason },
  })
  await nativeCollection(deps.AuditEvent).insertOne(line)
}

async function openSession(deps: SignInDeps, staff: Staff, actor: Actor): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const now = deps.now()
  const session: StaffSession = {
    _id: deps.secrets.hash(token),
    staffName: staff._id,
    epoch: staff.epoch,
    createdAt: now,
    endedAt: null,
    expiresAt: new Date(now.getTime() + sessionLifetimeMs),
    unaudited: [
      auditLine({
        at: now,
        actor,
        act: 'staff.signed-in',
        subject: staff._id,
        businessId: null,
        before: null,
        after: null,
      }),
    ],
  }
  await nativeCollection(deps.StaffSession).insertOne(session)
  await publishAudit(deps, deps.StaffSession, [session])
  return token
}

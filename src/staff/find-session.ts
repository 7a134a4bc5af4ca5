import { timingSafeEqual } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { Staff } from './account.ts'
import type { Role } from './account-fields.ts'
import { requiresSecondFactor } from './permissions.ts'
import type { StaffSession } from './session.ts'

/** The CSRF tokens of a session, or of a sign-in that still needs the second factor. */
export interface OwnForms {
  /** The CSRF token that every form contains, so that no other site can submit a form. */
  csrf: string
  /**
   * All CSRF tokens that are valid for this session. While SECRET_KEY is being rotated, a form that another process
   * created may contain a token other than `csrf`.
   */
  csrfs: string[]
}

/** A signed-in member of staff. */
export interface SignedIn extends OwnForms {
  name: string
  role: Role
  /** The id of this session on pages and in the audit trail. */
  sessionId: string
  /**
   * If true, the account must first add a second factor, and may until then only open that page or sign out
   * (permissions.ts).
   */
  mustAddFactor: boolean
}

type SessionDeps = Pick<Deps, 'Staff' | 'StaffSession' | 'secrets' | 'now' | 'config'>

/** The time of the last request is stored only if the stored time is older than this. */
const seenEveryMs = 15 * 60_000

/**
 * Returns the member of staff with this session token, or null if the session does not exist or has ended. Every call
 * reads from MongoDB, so that a session ends in all processes at the same time.
 */
export async function findSession(deps: SessionDeps, token: string): Promise<SignedIn | null> {
  const now = deps.now()
  const session = await deps.StaffSession.findOne(
    {
      _id: { $in: deps.secrets.hashes(token) },
      isPending: false,
      endedAt: null,
      // This condition is needed because sessions remain stored for a while after they have ended.
      expiresAt: { $gt: now },
    },
    { staffName: 1, sessionId: 1, epoch: 1, factorId: 1, lastSeenAt: 1 },
  ).lean<StaffSession | null>()
  if (session === null) return null
  const staff = await deps.Staff.findOne(
    { _id: session.staffName, epoch: session.epoch, disabledAt: null },
    { role: 1, 'secondFactor.id': 1 },
  ).lean<Pick<Staff, '_id' | 'role'> & { secondFactor?: { id: string } | null }>()
  const factorId = staff?.secondFactor?.id ?? null
  if (staff === null || factorId !== session.factorId) return null
  const seenBefore = new Date(now.getTime() - seenEveryMs)
  if (session.lastSeenAt <= seenBefore)
    await deps.StaffSession.updateOne(
      { _id: session._id, lastSeenAt: { $lte: seenBefore } },
      { $set: { lastSeenAt: now } },
    )
  return {
    name: staff._id,
    role: staff.role,
    sessionId: session.sessionId,
    mustAddFactor: factorId === null && requiresSecondFactor(deps.config, staff.role),
    ...ownForms(deps, token),
  }
}

/** Returns the CSRF tokens of the session with this token. */
export function ownForms({ secrets }: Pick<Deps, 'secrets'>, token: string): OwnForms {
  const csrfs = secrets.hashes(`csrf.${token}`)
  return { csrf: csrfs[0] ?? '', csrfs }
}

/** Returns whether a form contains a valid CSRF token for its session. */
export function isOwnForm(session: OwnForms, csrf: unknown): boolean {
  const given = Buffer.from(typeof csrf === 'string' ? csrf : '')
  const own = session.csrfs.map((each) => Buffer.from(each))
  return own.some((each) => given.length === each.length && timingSafeEqual(given, each))
}

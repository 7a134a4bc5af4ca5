import { timingSafeEqual } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { Role, Staff } from './account.ts'
import type { StaffSession } from './session.ts'

/** A signed-in member of staff. */
export interface SignedIn {
  name: string
  role: Role
  /** The CSRF token that every form contains, so that no other site can submit a form. */
  csrf: string
  /**
   * All CSRF tokens that are valid for this session. While SECRET_KEY is being rotated, a form that another process
   * created may contain a token other than `csrf`.
   */
  csrfs: string[]
}

type SessionDeps = Pick<Deps, 'Staff' | 'StaffSession' | 'secrets' | 'now'>

/**
 * Returns the member of staff with this session token, or null if the session does not exist or has ended. Every call
 * reads from MongoDB, so that a session ends in all processes at the same time.
 */
export async function findSession(deps: SessionDeps, token: string): Promise<SignedIn | null> {
  const session = await deps.StaffSession.findOne(
    {
      _id: { $in: deps.secrets.hashes(token) },
      endedAt: null,
      // This condition is needed because sessions remain stored for a while after they have ended.
      expiresAt: { $gt: deps.now() },
    },
    { staffName: 1, epoch: 1 },
  ).lean<StaffSession | null>()
  if (session === null) return null
  const staff = await deps.Staff.findOne(
    { _id: session.staffName, epoch: session.epoch, disabledAt: null },
    { role: 1 },
  ).lean<Staff | null>()
  if (staff === null) return null
  const csrfs = deps.secrets.hashes(`csrf.${token}`)
  return { name: staff._id, role: staff.role, csrf: csrfs[0] ?? '', csrfs }
}

/** Returns whether a form contains a valid CSRF token for its session. */
export function isOwnForm(session: SignedIn, csrf: unknown): boolean {
  const given = Buffer.from(typeof csrf === 'string' ? csrf : '')
  const own = session.csrfs.map((each) => Buffer.from(each))
  return own.some((each) => given.length === each.length && timingSafeEqual(given, each))
}

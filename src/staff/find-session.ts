import { timingSafeEqual } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { Role, Staff } from './account.ts'
import type { StaffSession } from './session.ts'

/** The signed-in member of staff. */
export interface SignedIn {
  name: string
  role: Role
  /** The token that every form contains, so that no other site can send one. */
  csrf: string
  /** All valid tokens. While SECRET_KEY is rotated, a form of another process may have a different one. */
  csrfs: string[]
}

type SessionDeps = Pick<Deps, 'Staff' | 'StaffSession' | 'secrets' | 'now'>

/**
 * Returns the member of staff with this session token, or null if the session does not exist or has ended. Reads
 * MongoDB each time, so a session ends at once in every process.
 */
export async function findSession(deps: SessionDeps, token: string): Promise<SignedIn | null> {
  const session = await deps.StaffSession.findOne(
    {
      _id: { $in: deps.secrets.hashes(token) },
      endedAt: null,
      // Sessions stay stored for a while after they end.
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

/** Returns whether a form contains the token of its session. */
export function isOwnForm(session: SignedIn, csrf: unknown): boolean {
  const given = Buffer.from(typeof csrf === 'string' ? csrf : '')
  const own = session.csrfs.map((each) => Buffer.from(each))
  return own.some((each) => given.length === each.length && timingSafeEqual(given, each))
}

import { timingSafeEqual } from 'node:crypto'
import type { Deps } from '../deps.ts'
import type { Role, Staff } from './account.ts'
import type { StaffSession } from './session.ts'

/** Who asks for a page. */
export interface SignedIn {
  name: string
  role: Role
  /** Stands in every form, so that no other site can send one. */
  csrf: string
  /** The same, and while SECRET_KEY changes what stands in forms that another process made. */
  csrfs: string[]
}

type SessionDeps = Pick<Deps, 'Staff' | 'StaffSession' | 'secrets' | 'now'>

/** Who holds this token; null when it is no session, or none any more. Nothing is kept: a session ends at once everywhere. */
export async function findSession(deps: SessionDeps, token: string): Promise<SignedIn | null> {
  const session = await deps.StaffSession.findOne(
    {
      _id: { $in: deps.secrets.hashes(token) },
      endedAt: null,
      // What is over is still there for a while.
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

/** Whether a form carries the token of its session. */
export function isOwnForm(session: SignedIn, csrf: unknown): boolean {
  const given = Buffer.from(typeof csrf === 'string' ? csrf : '')
  const own = session.csrfs.map((each) => Buffer.from(each))
  return own.some((each) => given.length === each.length && timingSafeEqual(given, each))
}

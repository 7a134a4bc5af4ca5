import { timingSafeEqual } from 'node:crypto'
import { type AuditEvent, unauditedFields, unauditedIndex } from '../audit/audit-event.ts'
import type { Deps } from '../deps.ts'
import type { Collection } from '../mongo/collection.ts'
import type { Role, Staff } from './account.ts'

/** How long somebody stays signed in, whatever they do meanwhile. */
export const sessionLifetimeMs = 12 * 60 * 60 * 1000

/** From the sign-in, so long after it is over: it may carry lines that the trail has not got yet. */
const removedAfterSeconds = 30 * 86_400

/** Somebody signed in. `_id` is the hash of the token in their cookie. */
export interface StaffSession {
  _id: string
  staffName: string
  /** The account's when they signed in. */
  epoch: number
  createdAt: Date
  endedAt: Date | null
  expiresAt: Date
  /** Lines for the audit trail that are not there yet. */
  unaudited: AuditEvent[]
}

export const staffSessions: Collection = {
  name: 'staffsessions',
  fields: {
    _id: String,
    staffName: String,
    epoch: Number,
    createdAt: Date,
    endedAt: Date,
    expiresAt: Date,
    unaudited: unauditedFields,
  },
  indexes: [
    { name: 'removal', key: { createdAt: 1 }, expireAfterSeconds: removedAfterSeconds },
    unauditedIndex,
  ],
}

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

import { auditLine, type By } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import type { Deps } from '../deps.ts'
import type { Staff } from './account.ts'
import { type StaffSession, validSessions } from './session.ts'

/** A valid session, as shown on pages. `id` gives no rights. */
export interface ListedSession {
  id: string
  createdAt: Date
  /** The time of the last request, at most 15 minutes too early. */
  lastSeenAt: Date
  expiresAt: Date
  /** The IP address at sign-in. */
  from: string
  /** The start of the `User-Agent` header at sign-in. */
  client: string
}

type SessionsDeps = Pick<Deps, 'Staff' | 'StaffSession' | 'AuditEvent' | 'now'>

/** The maximum number of sessions that a page lists. */
const maxListed = 100

/** Returns an account's valid sessions, newest first. Returns an empty list if there is no such account. */
export async function listSessions(
  deps: Pick<SessionsDeps, 'Staff' | 'StaffSession' | 'now'>,
  name: string,
): Promise<ListedSession[]> {
  const staff = await deps.Staff.findOne({ _id: name, disabledAt: null }).lean<Staff | null>()
  if (staff === null) return []
  const sessions = await deps.StaffSession.find({
    staffName: name,
    ...validSessions(staff),
    expiresAt: { $gt: deps.now() },
  })
    .sort({ createdAt: -1 })
    .limit(maxListed)
    .lean<StaffSession[]>()
  return sessions.map(({ sessionId, createdAt, lastSeenAt, expiresAt, from, client }) => ({
    id: sessionId,
    createdAt,
    lastSeenAt,
    expiresAt,
    from,
    client,
  }))
}

/**
 * Ends one session of an account, immediately and in every process. Returns false if the account has no such session,
 * or if the session has already ended.
 */
export async function endSession(
  deps: Pick<SessionsDeps, 'StaffSession' | 'AuditEvent' | 'now'>,
  { name, sessionId }: { name: string; sessionId: string },
  by: By,
): Promise<boolean> {
  const at = deps.now()
  const ended = await deps.StaffSession.findOneAndUpdate(
    { staffName: name, sessionId, isPending: false, endedAt: null, expiresAt: { $gt: at } },
    {
      $set: { endedAt: at },
      $push: {
        unaudited: auditLine({
          at,
          ...by,
          act: 'staff.session-ended',
          subject: name,
          businessId: null,
          after: { session: sessionId },
        }),
      },
    },
    { returnDocument: 'after' },
  ).lean<StaffSession | null>()
  if (ended === null) return false
  await publishAudit(deps, deps.StaffSession, [ended])
  return true
}

/** Ends all sessions of an account except one. Returns the number of sessions that it ended. */
export async function endOtherSessions(
  deps: SessionsDeps,
  { name, keptId }: { name: string; keptId: string },
  by: By,
): Promise<number> {
  for (let ended = 0; ; ) {
    const others = (await listSessions(deps, name)).filter(({ id }) => id !== keptId)
    if (others.length === 0) return ended
    const results = await Promise.all(others.map(({ id }) => endSession(deps, { name, sessionId: id }, by)))
    ended += results.filter(Boolean).length
  }
}

/**
 * Returns the time of each account's last sign-in, by name. An account that has not signed in for 30 days is missing,
 * because its sessions are removed (session.ts).
 */
export async function lastSignIns(
  deps: Pick<Deps, 'StaffSession'>,
  names: readonly string[],
): Promise<Map<string, Date>> {
  const found = await deps.StaffSession.aggregate<{ _id: string; at: Date }>([
    { $match: { staffName: { $in: names }, isPending: false } },
    { $group: { _id: '$staffName', at: { $max: '$createdAt' } } },
  ]).exec()
  return new Map(found.map(({ _id, at }) => [_id, at]))
}

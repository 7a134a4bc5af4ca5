import type { By } from '../audit/audit-event.ts'
import { type AuditedDeps, audited } from '../audit/audited.ts'
import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Staff } from './account.ts'
import { type StaffSession, validSessions } from './session.ts'

/** A valid session, as shown on pages. `id` gives no rights. */
export interface ListedSession
  extends Pick<StaffSession, 'createdAt' | 'lastSeenAt' | 'expiresAt' | 'from' | 'client'> {
  id: string
}

type EndDeps = Pick<Deps, 'StaffSession'> & AuditedDeps

/** The maximum number of sessions that a page lists. */
const maxListed = 100

/** Returns an account's valid sessions, newest first. Returns an empty list if there is no such account. */
export async function listSessions(
  deps: Pick<Deps, 'Staff' | 'StaffSession' | 'now'>,
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
  return sessions.map(({ sessionId: id, createdAt, lastSeenAt, expiresAt, from, client }) => ({
    id,
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
export const endSession = async (
  deps: EndDeps,
  { name, sessionId }: { name: string; sessionId: string },
  by: By,
): Promise<boolean> => (await end(deps, name, [sessionId], by)) === 1

/** Ends all sessions of an account except one. Returns the number of sessions that it ended. */
export async function endOtherSessions(
  deps: EndDeps & Pick<Deps, 'Staff'>,
  { name, keptId }: { name: string; keptId: string },
  by: By,
): Promise<number> {
  for (let ended = 0; ; ) {
    const others = (await listSessions(deps, name)).flatMap(({ id }) => (id === keptId ? [] : [id]))
    if (others.length === 0) return ended
    ended += await end(deps, name, others, by)
  }
}

/** Ends sessions, except those that have already ended. Returns how many it ended. */
const end = (deps: EndDeps, staffName: string, ids: string[], by: By): Promise<number> =>
  audited(deps, { documents: [staffName], by }, async ({ session, at, add }) => {
    const sessions = nativeCollection(deps.StaffSession)
    const valid = { staffName, sessionId: { $in: ids }, isPending: false, endedAt: null, expiresAt: { $gt: at } }
    const found = await sessions.find(valid, { session, projection: { sessionId: 1 } }).toArray()
    await sessions.updateMany({ _id: { $in: found.map(({ _id }) => _id) } }, { $set: { endedAt: at } }, { session })
    const about = { act: 'staff.session-ended', subject: staffName, businessId: null } as const
    await add(...found.map(({ sessionId }) => ({ ...about, after: { session: sessionId } })))
    return found.length
  })

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

/**
 * Ends the session with this token. The session ends immediately in every process. Does nothing if the session has
 * already ended.
 */
export const signOut = (deps: EndDeps & Pick<Deps, 'secrets'>, token: string, by: By): Promise<void> =>
  audited(deps, { documents: [], by }, async ({ session, at, add }) => {
    const { modifiedCount } = await nativeCollection(deps.StaffSession).updateOne(
      { _id: { $in: [...deps.secrets.hashes(token)] }, endedAt: null },
      { $set: { endedAt: at } },
      { session },
    )
    if (modifiedCount > 0) await add({ act: 'staff.signed-out', subject: by.actor.name, businessId: null })
  })

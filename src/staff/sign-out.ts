import { auditLine, type By } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import type { Deps } from '../deps.ts'
import type { StaffSession } from './session.ts'

/**
 * Ends the session with this token. The session ends immediately in every process. Does nothing if the session has
 * already ended.
 */
export async function signOut(
  deps: Pick<Deps, 'StaffSession' | 'AuditEvent' | 'secrets' | 'now'>,
  token: string,
  by: By,
): Promise<void> {
  const line = auditLine({ at: deps.now(), ...by, act: 'staff.signed-out', subject: by.actor.name, businessId: null })
  const ended = await deps.StaffSession.findOneAndUpdate(
    { _id: { $in: deps.secrets.hashes(token) }, endedAt: null },
    { $set: { endedAt: line.at }, $push: { unaudited: line } },
    { returnDocument: 'after' },
  ).lean<StaffSession | null>()
  if (ended !== null) await publishAudit(deps, deps.StaffSession, [ended])
}

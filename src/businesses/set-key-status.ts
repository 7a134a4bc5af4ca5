import type { Act } from '../audit/acts.ts'
import { auditLine, type By } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import type { Models } from '../mongo/models.ts'
import type { ApiKey } from './api-key.ts'

const acts = {
  suspended: 'key.suspended',
  active: 'key.resumed',
  revoked: 'key.revoked',
} as const satisfies Record<ApiKey['status'], Act>

/**
 * Suspends, resumes or revokes a key, and records the change for the audit trail in the same write. Writes nothing if
 * the key already has this status. Returns false if the key does not exist, or if it is revoked and `status` differs.
 */
export async function setKeyStatus(
  deps: Pick<Models, 'ApiKey' | 'AuditEvent'> & { now(): Date },
  id: string,
  status: ApiKey['status'],
  by: By,
): Promise<boolean> {
  const found = await deps.ApiKey.findOne({ _id: id }, { status: 1, businessId: 1 }).lean<
    Pick<ApiKey, 'status' | 'businessId'>
  >()
  if (found === null) return false
  const before = { status: found.status }
  if (before.status === status) return true
  if (before.status === 'revoked') return false
  const about = { act: acts[status], subject: id, businessId: found.businessId }
  const line = auditLine({ at: deps.now(), ...by, ...about, before, after: { status } })
  const changed = await deps.ApiKey.findOneAndUpdate(
    { _id: id, ...before },
    { $set: { status }, $push: { unaudited: line } },
    { returnDocument: 'after', projection: { unaudited: 1 } },
  ).lean<Pick<ApiKey, '_id' | 'unaudited'> | null>()
  // Another request has changed the status in the meantime, so this function starts again.
  if (changed === null) return setKeyStatus(deps, id, status, by)
  await publishAudit(deps, deps.ApiKey, [changed])
  return true
}

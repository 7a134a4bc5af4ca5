import { auditLine, type By } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import { isDuplicate } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import type { Setting } from './api-switch.ts'

/**
 * Turns the developer API on or off for all businesses, and records this for the audit trail in the same write. Writes
 * nothing if the API is already on or off.
 */
export async function switchApi(
  deps: Pick<Models, 'Setting' | 'AuditEvent'> & { now(): Date },
  enabled: boolean,
  by: By,
): Promise<void> {
  const found = await deps.Setting.findById('api').lean<Setting | null>()
  const before = { enabled: found?.enabled ?? true }
  if (before.enabled === enabled) return
  const about = { act: enabled ? 'api.enabled' : 'api.disabled', subject: 'api', businessId: null } as const
  const line = auditLine({ at: deps.now(), ...by, ...about, before, after: { enabled } })
  try {
    const changed = await deps.Setting.findOneAndUpdate(
      { _id: 'api', ...before },
      { $set: { enabled }, $push: { unaudited: line } },
      { upsert: true, returnDocument: 'after' },
    ).lean<Setting>()
    await publishAudit(deps, deps.Setting, changed === null ? [] : [changed])
  } catch (error) {
    // Another command has turned the API on or off in the meantime, so this function starts again.
    if (isDuplicate(error)) return switchApi(deps, enabled, by)
    throw error
  }
}

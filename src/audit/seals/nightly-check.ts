import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import { lastDue } from '../../retention/night.ts'
import { createPace } from '../../retention/pace.ts'
import type { AuditCheck } from './seal.ts'
import { type SealDeps, sealTrail } from './seal-trail.ts'
import { verifyTrail } from './verify-trail.ts'

type CheckDeps = SealDeps & Pick<Models, 'AuditCheck'>

/**
 * Once a night, seals the new lines of the audit trail, verifies the whole trail and stores the result for the audit
 * page. Does nothing if tonight's check has already been stored. Never throws, because the clean-up follows in the same
 * job. If sealing or verifying fails or is stopped, the next run of the job repeats it, at the latest on the next
 * night.
 */
export async function checkTrail(deps: CheckDeps, ending: AbortSignal): Promise<void> {
  try {
    const checks = nativeCollection(deps.AuditCheck)
    const before = await latestCheck(deps)
    if (before !== null && before.at >= lastDue(deps.now())) return
    const pace = createPace(ending, async () => undefined)
    await sealTrail(deps, pace)
    const at = deps.now()
    const { last, ...result } = await verifyTrail(deps, pace, null)
    await checks.updateOne({ _id: 'latest' }, { $set: { at, ...result } }, { upsert: true })
    const { seals, lines, faults, faultCount } = result
    if (faultCount > 0) deps.log.error({ seals, lines, faultCount, faults }, 'audit.tampered')
    else deps.log.info({ seals, lines, ...last }, 'audit.verified')
  } catch (err) {
    if (!ending.aborted) deps.log.error({ err }, 'audit.not-checked')
  }
}

/**
 * Returns whether the check that was due most recently has not been stored yet. In a new service, the first check is
 * due in the night after the first line.
 */
export async function isCheckDue(deps: Pick<Models, 'AuditCheck' | 'AuditEvent'>, now: Date): Promise<boolean> {
  const due = lastDue(now)
  const check = await latestCheck(deps)
  if (check !== null) return check.at < due
  return (
    (
      await deps.AuditEvent.find({ at: { $lt: due } }, { _id: 1 })
        .limit(1)
        .lean()
    ).length > 0
  )
}

/** Returns the result of the last nightly check, or null before the first. */
export const latestCheck = ({ AuditCheck }: Pick<Models, 'AuditCheck'>): Promise<AuditCheck | null> =>
  AuditCheck.findOne({ _id: 'latest' }).lean<AuditCheck | null>()

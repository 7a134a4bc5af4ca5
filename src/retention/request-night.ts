import { isCheckDue } from '../audit/seals/nightly-check.ts'
import type { Deps } from '../deps.ts'
import { lastDue, nightly } from './night.ts'
import { isLeased, isOwed, openRecord } from './record.ts'

type NightDeps = Pick<Deps, 'RetentionRecord' | 'AuditCheck' | 'AuditEvent' | 'ServiceKey' | 'secrets' | 'now'>

/** If only the check is due, it begins after this delay, so that a check that keeps failing runs once a minute. */
const checkDelayMs = 60_000

/**
 * Enqueues the clean-up if it is due but not running, either because its scheduled job was lost or because the process
 * that was running the clean-up died. MongoDB stores the last completed night, so a missed clean-up is never forgotten.
 * The same job seals and checks the audit trail, so it is also enqueued if only this check is due, for example after an
 * operator has run the clean-up.
 */
export async function requestNight(deps: NightDeps & Pick<Deps, 'enqueue'>): Promise<void> {
  const record = await openRecord(deps)
  const now = deps.now()
  const isCleanUpDue = isOwed(record, now) && !isLeased(record, now)
  if (!isCleanUpDue && !(await isCheckDue(deps))) return
  const jobId = `night-${lastDue(now).toISOString().slice(0, 10)}`
  deps.enqueue('retention', [{ data: {}, jobId, delayMs: isCleanUpDue ? 0 : checkDelayMs, freesId: true }])
}

/** Adds the nightly schedule to Redis. An existing schedule is left unchanged, so that an overdue run is not lost. */
export const keepNightly = (deps: Pick<Deps, 'queues'>): Promise<void> =>
  deps.queues.keepSchedule('retention', { id: 'nightly', ...nightly })

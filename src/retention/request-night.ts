import type { Deps } from '../deps.ts'
import { lastDue, nightly } from './night.ts'
import { isOwed, openRecord } from './record.ts'

type NightDeps = Pick<Deps, 'RetentionRecord' | 'now'>

/**
 * Enqueues the clean-up if it is due but not running, either because its scheduled job was lost or because the process
 * that was running the clean-up died. MongoDB stores the last completed night, so a missed clean-up is never forgotten.
 */
export async function requestNight(deps: NightDeps & Pick<Deps, 'enqueue'>): Promise<void> {
  const record = await openRecord(deps)
  const now = deps.now()
  if (!isOwed(record, now) || record.leaseEndsAt > now) return
  const jobId = `night-${lastDue(now).toISOString().slice(0, 10)}`
  deps.enqueue('retention', [{ data: {}, jobId, delayMs: 0, freesId: true }])
}

/** Adds the nightly schedule to Redis. An existing schedule is left unchanged, so that an overdue run is not lost. */
export const keepNightly = (deps: Pick<Deps, 'queues'>): Promise<void> =>
  deps.queues.keepSchedule('retention', { id: 'nightly', ...nightly })

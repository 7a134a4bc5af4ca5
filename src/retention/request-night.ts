import type { Deps } from '../deps.ts'
import { lastDue, nightly } from './night.ts'
import { isOwed, openRecord } from './record.ts'

type NightDeps = Pick<Deps, 'RetentionRecord' | 'now'>

/**
 * Enqueues a clean-up that is due and not running, because its scheduled job was lost or the process that ran it died.
 * MongoDB stores the last complete night, so no night is missed for good.
 */
export async function requestNight(deps: NightDeps & Pick<Deps, 'enqueue'>): Promise<void> {
  const record = await openRecord(deps)
  const now = deps.now()
  if (!isOwed(record, now) || record.leaseEndsAt > now) return
  const jobId = `night-${lastDue(now).toISOString().slice(0, 10)}`
  deps.enqueue('retention', [{ data: {}, jobId, delayMs: 0, freesId: true }])
}

/**
 * Adds the nightly schedule to Redis. Does not change an existing schedule, so that an overdue run of it is not lost.
 */
export const keepNightly = (deps: Pick<Deps, 'queues'>): Promise<void> =>
  deps.queues.keepSchedule('retention', { id: 'nightly', ...nightly })

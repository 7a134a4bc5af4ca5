import type { Deps } from '../deps.ts'
import { lastDue, nightly } from './night.ts'
import { isOwed, openRecord } from './record.ts'

type NightDeps = Pick<Deps, 'RetentionRecord' | 'now'>

/**
 * Asks for the clean-up that is owed and that nobody is at: the schedule's job was lost, nobody ran it, or whoever did died. In MongoDB stands which
 * night was cleaned last, so that a night is missed only until somebody looks.
 */
export async function requestNight(deps: NightDeps & Pick<Deps, 'enqueue'>): Promise<void> {
  const record = await openRecord(deps)
  const now = deps.now()
  if (!isOwed(record, now) || record.leaseEndsAt > now) return
  const jobId = `night-${lastDue(now).toISOString().slice(0, 10)}`
  deps.enqueue('retention', [{ data: {}, jobId, delayMs: 0, freesId: true }])
}

/** Sees to it that Redis has the schedule. One that is there stays as it is, and with it a run of it that is overdue. */
export const keepNightly = (deps: Pick<Deps, 'queues'>): Promise<void> =>
  deps.queues.keepSchedule('retention', { id: 'nightly', ...nightly })

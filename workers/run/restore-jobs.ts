import type { Deps } from '../../src/deps.ts'
import { deadShownSeconds, type Jobs } from '../../src/queues/jobs.ts'
import { nightly } from '../../src/retention/night.ts'
import { dropRevived, restoreFailed } from '../../src/webhooks/attempts/restore-failed.ts'

/** How often each worker process enqueues a job that restores lost jobs. */
export const restoreEveryMs = 6_000
/**
 * With `lately`, only deliveries that died within this time are checked. Deliveries that died earlier have already been
 * checked many times.
 */
const diedLatelyMs = 10 * 60_000

type Reach = Jobs['maintenance']['reach']

/**
 * Enqueues a `maintenance` job. For `lately`, the job's id contains the time slot, so that only one such job is
 * enqueued per time slot across all processes.
 */
export function requestRestore(deps: Pick<Deps, 'enqueue' | 'now'>, reach: Reach): void {
  const slot = reach === 'lately' ? String(slotOf(deps.now())) : reach
  const job = { data: { slot, reach }, jobId: `restore-${slot}`, delayMs: 0 }
  deps.enqueue('maintenance', [reach === 'all' ? { ...job, freesId: true } : job])
}

const slotOf = (at: Date): number => Math.floor(at.getTime() / restoreEveryMs)

/** Whether a time slot is so far in the past that the job for a later time slot will do the work. */
export const isPast = (slot: string, now: Date): boolean => Number(slot) < slotOf(now) - 1

/**
 * Restores jobs that Redis has lost, and returns how many jobs were missing. With the reach `lately`, restores the
 * failed jobs of deliveries that died in the last ten minutes. If Redis has lost its data, also enqueues a job that
 * runs with the reach `all`. That job restores the schedule of the nightly clean-up, and ensures that every delivery
 * that died in the last 30 days and is still DEAD has exactly one failed job.
 */
export async function restoreJobs(deps: Deps, reach: Reach): Promise<number> {
  const { standing } = deps.queues
  const now = deps.now().getTime()
  if (reach === 'lately') {
    if (!(await standing.isWhole())) requestRestore(deps, 'all')
    return restoreFailed(deps, new Date(now - diedLatelyMs))
  }
  let restored = 0
  await keepNightly(deps)
  await standing.makeWhole(async () => {
    await dropRevived(deps)
    restored = await restoreFailed(deps, new Date(now - deadShownSeconds * 1000))
  })
  return restored
}

/** Adds the nightly schedule to Redis. An existing schedule is left unchanged, so that an overdue run is not lost. */
export const keepNightly = (deps: Pick<Deps, 'queues'>): Promise<void> =>
  deps.queues.keepSchedule('retention', { id: 'nightly', ...nightly })

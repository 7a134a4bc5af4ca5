import type { Deps } from '../../src/deps.ts'
import { deadShownSeconds } from '../../src/queues/jobs.ts'
import { nightly } from '../../src/retention/night.ts'
import { dropRevived, restoreFailed } from '../../src/webhooks/attempts/restore-failed.ts'

/** How often each worker process asks for lost jobs to be restored. */
export const restoreEveryMs = 6_000
/** The least time between two jobs that restore, whichever processes ask for them. */
const apartMs = 5_000
/** As long as Redis has lost nothing, deliveries that died earlier than this have been checked many times. */
const diedLatelyMs = 10 * 60_000

/** Enqueues a job that restores lost jobs, unless one exists or has just run. */
export const requestRestore = (deps: Pick<Deps, 'enqueue'>): void =>
  deps.enqueue('maintenance', [{ data: {}, jobId: 'restore', delayMs: 0, apartMs }])

/**
 * Restores the failed jobs of deliveries that died lately, and returns how many were missing. If Redis may have lost its
 * data, also restores the schedule of the nightly clean-up, and ensures that every delivery that died in the last 30
 * days and is still DEAD has exactly one failed job.
 */
export async function restoreJobs(deps: Deps): Promise<number> {
  const { standing } = deps.queues
  const now = deps.now().getTime()
  if (await standing.isWhole()) return restoreFailed(deps, new Date(now - diedLatelyMs))
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

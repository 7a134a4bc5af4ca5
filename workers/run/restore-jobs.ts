import type { Deps } from '../../src/deps.ts'
import { deadShownSeconds, type Jobs } from '../../src/queues/jobs.ts'
import { keepNightly } from '../../src/retention/request-night.ts'
import { dropRevived, restoreFailed } from '../../src/webhooks/attempts/restore-failed.ts'

/** How often each worker process enqueues a restore job. */
export const restoreEveryMs = 6_000
/** How far back `lately` goes. Deliveries that died earlier have been checked many times. */
const diedLatelyMs = 10 * 60_000

type Reach = Jobs['maintenance']['reach']

/** Enqueues a `maintenance` job. The job id contains the time slot, so all processes together enqueue one job per slot. */
export function askForRestore(deps: Pick<Deps, 'enqueue' | 'now'>, reach: Reach): void {
  const slot = reach === 'lately' ? String(slotOf(deps.now())) : reach
  const job = { data: { slot, reach }, jobId: `restore-${slot}`, delayMs: 0 }
  deps.enqueue('maintenance', [reach === 'all' ? { ...job, freesId: true } : job])
}

const slotOf = (at: Date): number => Math.floor(at.getTime() / restoreEveryMs)

/** Whether the job of a slot has waited so long that a later job covers its work. */
export const isPast = (slot: string, now: Date): boolean => Number(slot) < slotOf(now) - 1

/**
 * Restores what Redis lost. `lately`: the failed jobs of deliveries that died in the last ten minutes; enqueues `all` if Redis was emptied. `all`:
 * the schedule of the clean-up, and exactly one failed job for each delivery that died in the last 30 days and is still DEAD. Returns how many
 * jobs were missing.
 */
export async function restoreJobs(deps: Deps, reach: Reach): Promise<number> {
  const { standing } = deps.queues
  const now = deps.now().getTime()
  if (reach === 'lately') {
    if (!(await standing.isWhole())) askForRestore(deps, 'all')
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

import type { Deps } from './deps.ts'
import { deadShownSeconds, type Jobs } from './jobs.ts'
import { keepNightly } from './retention/ask-for-night.ts'
import { dropRevived, restoreFailed } from './webhooks/attempts/restore-failed.ts'

/** How often the processes ask for it. */
export const restoreEveryMs = 6_000
/** Deliveries that died before this were looked at many times. */
const diedLatelyMs = 10 * 60_000

type Reach = Jobs['maintenance']['reach']

/** Asks for a `maintenance` job. All processes ask for the same slot of time, and the job's id makes one job of it. */
export function askForRestore(deps: Pick<Deps, 'nudge' | 'now'>, reach: Reach): void {
  const slot = reach === 'lately' ? String(slotOf(deps.now())) : reach
  const job = { data: { slot, reach }, jobId: `restore-${slot}`, delayMs: 0 }
  deps.nudge('maintenance', [reach === 'all' ? { ...job, freesId: true } : job])
}

const slotOf = (at: Date): number => Math.floor(at.getTime() / restoreEveryMs)

/** Whether the job of a slot has waited for so long that a later one does all that it would. */
export const isPast = (slot: string, now: Date): boolean => Number(slot) < slotOf(now) - 1

/**
 * Puts right what Redis shows of MongoDB: every DEAD delivery of the last 30 days has its failed job, no other delivery has one, and the clean-up
 * has its schedule. Asks for `all` if Redis was emptied. Returns how many jobs were missing.
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

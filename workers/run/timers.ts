import type { Deps } from '../../src/deps.ts'
import { askForRestore, restoreEveryMs } from './restore-jobs.ts'
import { warnOfUnattended } from './warn-of-unattended.ts'

/** A lease lasts 10 s, so two missed renewals still leave a second. A renewal also finds attempts whose endpoint was deleted. */
const renewEveryMs = 3_000
/** Long enough for the other processes to start. */
const lookAroundEveryMs = 60_000

/** Starts the timers of a worker process: they renew leases, enqueue restore jobs, and check that each queue has a worker. */
export function startTimers(deps: Deps): { stopAsking(): void; stop(): void } {
  const renewing = setInterval(() => {
    deps.leases.renew().catch((err) => deps.log.warn({ err }, 'leases.not-renewed'))
  }, renewEveryMs)
  const restoring = setInterval(() => askForRestore(deps, 'lately'), restoreEveryMs)
  const lookingAround = setInterval(() => void warnOfUnattended(deps), lookAroundEveryMs)
  // At start, and whenever Redis is back, because it may have lost everything.
  askForRestore(deps, 'all')
  deps.queues.whenReady(() => askForRestore(deps, 'all'))
  return {
    stopAsking() {
      clearInterval(restoring)
      clearInterval(lookingAround)
    },
    stop: () => clearInterval(renewing),
  }
}

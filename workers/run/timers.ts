import type { Deps } from '../../src/deps.ts'
import { requestRestore, restoreEveryMs } from './restore-jobs.ts'
import { warnOfUnattended } from './warn-of-unattended.ts'

/**
 * A lease lasts 10 s, so one second remains after two missed renewals. A renewal also finds attempts whose endpoint has
 * been deleted.
 */
const renewEveryMs = 3_000
/**
 * The interval between checks that each queue has a worker. The first check also comes after this time, because other
 * processes need time to start.
 */
const checkQueuesEveryMs = 60_000

/**
 * Starts the timers of a worker process: they renew leases, enqueue restore jobs, and check that each queue has a
 * worker.
 */
export function startTimers(deps: Deps): { stopChecks(): void; stop(): void } {
  const renewing = setInterval(() => {
    deps.leases.renew().catch((err) => deps.log.warn({ err }, 'leases.not-renewed'))
  }, renewEveryMs)
  const restoring = setInterval(() => requestRestore(deps, 'lately'), restoreEveryMs)
  const checkingQueues = setInterval(() => void warnOfUnattended(deps), checkQueuesEveryMs)
  // Everything is restored at startup and whenever Redis comes back, because Redis may have lost everything.
  requestRestore(deps, 'all')
  deps.queues.whenReady(() => requestRestore(deps, 'all'))
  return {
    stopChecks() {
      clearInterval(restoring)
      clearInterval(checkingQueues)
    },
    stop: () => clearInterval(renewing),
  }
}

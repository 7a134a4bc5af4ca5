import type { Deps } from '../../src/deps.ts'
import { requestRestore, restoreEveryMs } from './restore-jobs.ts'
import { warnOfUnattended } from './warn-of-unattended.ts'

/**
 * The interval between renewals of leases. A lease lasts 10 s, so after two missed renewals there is still one second
 * left. A renewal also detects attempts whose endpoint has been deleted.
 */
const renewEveryMs = 3_000
/**
 * The interval between checks that every queue has a worker. The first check is also delayed by this time, because
 * other processes need time to start.
 */
const checkQueuesEveryMs = 60_000

/**
 * Starts the timers of a worker process, which renew leases, enqueue restore jobs, and check that every queue has a
 * worker.
 */
export function startTimers(deps: Deps): { stopChecks(): void; stop(): void } {
  const renewing = setInterval(() => {
    deps.leases.renew().catch((err) => deps.log.warn({ err }, 'leases.not-renewed'))
  }, renewEveryMs)
  const restoring = setInterval(() => requestRestore(deps, 'lately'), restoreEveryMs)
  const checkingQueues = setInterval(() => void warnOfUnattended(deps), checkQueuesEveryMs)
  // All jobs are restored at startup and whenever the connection to Redis comes back, because Redis may have lost
  // everything.
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

import type { Deps } from '../../src/deps.ts'
import { requestRestore, restoreEveryMs } from '../maintenance.ts'
import { warnOfUnattended } from './warn-of-unattended.ts'

/**
 * How often leases are renewed. A lease lasts 10 s, so if two renewals in a row fail, the third one still comes a
 * second before the lease ends. A renewal also detects attempts whose endpoint has been deleted or disabled.
 */
const renewEveryMs = 3_000
/**
 * How often to check that every queue has a worker. The first check is also delayed by this time, because other
 * processes need time to start.
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
  const restoring = setInterval(() => requestRestore(deps), restoreEveryMs)
  const checkingQueues = setInterval(() => void warnOfUnattended(deps), checkQueuesEveryMs)
  // A process that has just started knows nothing about Redis, and after a failover Redis may lack its last writes. If
  // the marker cannot be removed, the connection is about to be re-established anyway.
  const doubt = (): void => void deps.queues.standing.doubt().catch(() => undefined)
  doubt()
  deps.queues.whenReady(doubt)
  return {
    stopChecks() {
      clearInterval(restoring)
      clearInterval(checkingQueues)
    },
    stop: () => clearInterval(renewing),
  }
}

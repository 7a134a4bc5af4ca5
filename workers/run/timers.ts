import type { Deps } from '../../src/deps.ts'
import { askForRestore, restoreEveryMs } from '../../src/restore-jobs.ts'
import { warnOfUnattended } from './warn-of-unattended.ts'

/** A lease lasts 10 s, so two missed renewals still leave a second. An attempt whose endpoint was deleted ends at the next one. */
const renewEveryMs = 3_000
/** Long enough for the other processes to have started. */
const lookAroundEveryMs = 60_000

/** What a worker process does by the clock: renews its leases, asks for the restoring of jobs, and looks whether each queue has a worker. */
export function startTimers(deps: Deps): { stopAsking(): void; stop(): void } {
  const renewing = setInterval(() => {
    deps.leases.renew().catch((err) => deps.log.warn({ err }, 'leases.not-renewed'))
  }, renewEveryMs)
  const restoring = setInterval(() => askForRestore(deps, 'lately'), restoreEveryMs)
  const lookingAround = setInterval(() => void warnOfUnattended(deps), lookAroundEveryMs)
  // At boot, and whenever Redis is back: it may have lost everything.
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

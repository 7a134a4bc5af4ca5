import type { Deps } from '../../src/deps.ts'
import { askForSweep, sweepEveryMs } from '../../src/sweep.ts'
import { warnOfUnattended } from './warn-of-unattended.ts'

/** A lease lasts 10 s: one missed renewal is no loss, two still leave a second. */
const renewEveryMs = 3_000
/** Long enough for the other processes to have started. */
const lookAroundEveryMs = 60_000

/** What a worker process does by the clock: keep its leases alive, ask for sweeps, and look whether each queue has a worker. */
export function startTimers(deps: Deps): { stopSweeping(): void; stop(): void } {
  const renewing = setInterval(() => {
    deps.leases.renew().catch((err) => deps.log.warn({ err }, 'leases.not-renewed'))
  }, renewEveryMs)
  const sweeping = setInterval(() => {
    askForSweep(deps, 'lately')
    askForSweep(deps, 'overdue')
  }, sweepEveryMs)
  const lookingAround = setInterval(() => void warnOfUnattended(deps), lookAroundEveryMs)
  // At boot, and whenever Redis is back: it may have lost everything.
  askForSweep(deps, 'all')
  deps.queues.whenReady(() => askForSweep(deps, 'all'))
  return {
    stopSweeping() {
      clearInterval(sweeping)
      clearInterval(lookingAround)
    },
    stop: () => clearInterval(renewing),
  }
}

import type { Deps } from '../../src/deps.ts'
import { newId } from '../../src/ids.ts'
import type { Jobs } from '../../src/jobs.ts'

/**
 * Often enough that work whose nudge was lost starts within 15 s: processes tick at their own moment of a slot, so two sweeps
 * may be two slots apart, and what is younger than 2 s at one waits for the next.
 */
const sweepEveryMs = 6_000
/** A lease lasts 10 s: one missed renewal is no loss, two still leave a second. */
const renewEveryMs = 3_000

/** What a worker process does by the clock: keep its leases alive, and ask for a sweep. */
export function startTimers(deps: Deps): { stopSweeping(): void; stop(): void } {
  const renewing = setInterval(() => {
    deps.leases.renew().catch((err) => deps.log.warn({ err }, 'leases.not-renewed'))
  }, renewEveryMs)
  const sweeping = setInterval(() => {
    askForSweep(deps, String(Math.floor(Date.now() / sweepEveryMs)), 'lately')
    // One id for all time: while one runs, and for a minute after it, BullMQ adds no other.
    askForSweep(deps, 'overdue', 'overdue')
  }, sweepEveryMs)
  // At boot, and whenever Redis is back: it may have lost everything.
  askForSweep(deps, newId(), 'all')
  deps.queues.whenReady(() => askForSweep(deps, newId(), 'all'))
  return {
    stopSweeping: () => clearInterval(sweeping),
    stop: () => clearInterval(renewing),
  }
}

/** All processes ask for the same slot of time, and the job's id makes one job of it; no state that could be lost. */
function askForSweep(deps: Deps, slot: string, reach: Jobs['maintenance']['reach']): void {
  deps.nudge('maintenance', [{ data: { slot, reach }, jobId: `sweep-${slot}`, delayMs: 0 }])
}

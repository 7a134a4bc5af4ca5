import { sweepAudit } from './audit/publish.ts'
import type { Deps } from './deps.ts'
import { sweepExpiries } from './intents/sweep-expiries.ts'
import { sweepOutcomes } from './intents/sweep-outcomes.ts'
import { deadShownSeconds, type Jobs } from './jobs.ts'
import { askForNight, keepNightly } from './retention/ask-for-night.ts'
import { sweepImports } from './store/imports/sweep.ts'
import { sweepReservations } from './store/orders/reservations.ts'
import { finishMovements } from './wallets/sandbox/finish.ts'
import { dropRevived, restoreFailed } from './webhooks/attempts/restore-failed.ts'
import { type SweptDeliveries, sweepDeliveries } from './webhooks/attempts/sweep.ts'
import { sweepOutboxes } from './webhooks/sweep-outboxes.ts'

/**
 * Often enough that work whose nudge was lost starts within 15 s: processes tick at their own moment of a slot, so two sweeps
 * may be two slots apart, and what is younger than 2 s at one waits for the next.
 */
export const sweepEveryMs = 6_000
/** How far ahead delayed jobs are re-created, so that they are there on time after Redis was emptied: some sweeps. */
const aheadMs = 30_000
/** What became due before this was looked at by many a sweep. Very much of it must not keep the others from what is new. */
const latelyMs = 60_000
/** What died before this was looked for by very many. */
const diedLatelyMs = 10 * 60_000

export interface Swept {
  outboxes: number
  deliveries: number
  expiries: number
  /** Intents with payments or refunds whose outcome nobody knows. */
  outcomes: number
  /** Movements of sandbox wallets that a process had left behind, and that were ended. */
  movements: number
  /** Products of which orders had taken stock that nobody settled. */
  reservations: number
  /** Imports of products that a process had left behind, and that were ended. */
  imports: number
  /** Failed jobs of DEAD deliveries that Redis had lost. */
  restored: number
  /** Documents with lines that were not in the audit trail. */
  audited: number
}

type Reach = Jobs['maintenance']['reach']

/**
 * Asks for a sweep. All processes ask for the same slot, and the job's id makes one job of it; no state that could be lost. Of those
 * that are overdue, and of all, one sweep at a time is enough however long it takes, and of the overdue ones one a minute.
 */
export function askForSweep(deps: Pick<Deps, 'nudge' | 'now'>, reach: Reach): void {
  const slot = reach === 'lately' ? String(slotOf(deps.now())) : reach
  const job = { data: { slot, reach }, jobId: `sweep-${slot}`, delayMs: 0 }
  deps.nudge('maintenance', [reach === 'all' ? { ...job, freesId: true } : job])
}

const slotOf = (at: Date): number => Math.floor(at.getTime() / sweepEveryMs)

/** Whether a sweep of a slot has been waiting for so long that those asked for since do all that it would. */
export const isPast = (slot: string, now: Date): boolean => Number(slot) < slotOf(now) - 1

/**
 * Enqueues every wake-up job that MongoDB says is due: payments and refunds of unknown outcome, deliveries that no worker attempts, events that
 * were not relayed, and expired intents. Restores the failed jobs that Redis lost. Completes unfinished movements of sandbox wallets, orders and
 * imports, completes the audit trail, and enqueues a clean-up that was missed. Does not touch jobs that are already queued, so it may run at any
 * time and any number of times. Looks only at recent deliveries and failed jobs, unless `whole`. If Redis was emptied, it enqueues a whole
 * sweep, which may take long, and continues: many slots may pass meanwhile. If one part fails, the others still run; the first error is thrown
 * at the end.
 */
export async function sweep(deps: Deps, whole: boolean): Promise<Swept> {
  const now = deps.now().getTime()
  const swept: Swept = {
    outcomes: 0,
    deliveries: 0,
    outboxes: 0,
    expiries: 0,
    movements: 0,
    reservations: 0,
    imports: 0,
    audited: 0,
    restored: 0,
  }
  const looks = [
    async () => {
      if (!whole && !(await deps.queues.standing.isWhole())) askForSweep(deps, 'all')
    },
    // First: customers wait for them.
    async () => void (swept.outcomes = await sweepOutcomes(deps)),
    async () => {
      const lately = await sweepDeliveries(deps, new Date(now - latelyMs), new Date(now + aheadMs))
      swept.deliveries += lately.deliveries
    },
    async () => void (swept.outboxes = await sweepOutboxes(deps)),
    async () => void (swept.expiries = await sweepExpiries(deps, new Date(now + aheadMs))),
    async () => void (swept.movements = await finishMovements(deps)),
    async () => void (swept.reservations = await sweepReservations(deps)),
    async () => void (swept.imports = await sweepImports(deps)),
    async () => void (swept.audited = await sweepTrail(deps)),
    async () => askForNight(deps),
    async () => {
      if (whole) await keepNightly(deps)
    },
    async () => {
      if (!whole) swept.restored = await restoreFailed(deps, new Date(now - diedLatelyMs))
      else
        await deps.queues.standing.makeWhole(async () => {
          swept.deliveries += (await sweepOverdue(deps)).deliveries
          await dropRevived(deps)
          swept.restored = await restoreFailed(deps, new Date(now - deadShownSeconds * 1000))
        })
    },
  ]
  await eachInTurn(looks)
  return swept
}

async function eachInTurn(acts: readonly (() => Promise<void>)[]): Promise<void> {
  const faults: unknown[] = []
  for (const act of acts) await act().catch((error: unknown) => void faults.push(error))
  if (faults.length > 0) throw faults[0]
}

const overdueUnderWay = new WeakMap<Deps, Promise<SweptDeliveries>>()

/** The deliveries that `sweep` leaves out when it is not whole; one look at a time in a process. */
export function sweepOverdue(deps: Deps): Promise<SweptDeliveries> {
  const running =
    overdueUnderWay.get(deps) ??
    sweepDeliveries(deps, null, new Date(deps.now().getTime() - latelyMs)).finally(() =>
      overdueUnderWay.delete(deps),
    )
  overdueUnderWay.set(deps, running)
  return running
}

const sweepTrail = async (deps: Deps): Promise<number> =>
  (await sweepAudit(deps, deps.Delivery)) +
  (await sweepAudit(deps, deps.Business)) +
  (await sweepAudit(deps, deps.Staff)) +
  (await sweepAudit(deps, deps.StaffSession))

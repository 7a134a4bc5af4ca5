import type { ReplayCancellation } from '../../../schemas/responses/webhooks.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import { type Transactions, unlessLocked } from '../../mongo/transaction.ts'
import { leasesOn } from '../../work/lease.ts'
import { ended, type Replay, type ReplayCounts } from './replay.ts'

type LeaseDeps = Pick<Models, 'Replay'> & { now(): Date }

/**
 * How long the lease of a replay lasts. Each page of events renews it, and takes far less than a second. If the process
 * dies, another worker continues the replay after this time.
 */
const leaseMs = 10_000

/** Other workers may take some of the due replays first, and the transaction of a dead process may have locked one. */
const maxTried = 10

/** A replay whose lease this process holds. */
export type LeasedReplay = Replay & { leaseToken: string }

const leases = ({ Replay, now }: LeaseDeps) =>
  leasesOn<Replay>(nativeCollection(Replay), { field: 'nextRunAt', leaseMs }, now)

/** Takes the lease of the replay that has waited longest for a worker. Returns null if no replay is due. */
export async function leaseReplay(deps: LeaseDeps & { transactions: Transactions }): Promise<LeasedReplay | null> {
  const due = { running: true, nextRunAt: { $lte: deps.now() } } as const
  const options = { projection: { _id: 1 }, sort: { nextRunAt: 1 }, hint: { nextRunAt: 1 }, limit: maxTried } as const
  for (const { _id } of await nativeCollection(deps.Replay).find(due, options).toArray()) {
    const leased = await unlessLocked(deps, (session) => leases(deps).take({ _id, ...due }, { session }))
    if (leased !== null) return leased as LeasedReplay
  }
  return null
}

/**
 * Records the progress after a page of events and renews the lease. Returns null if another worker has taken over the
 * replay, which then processes the same page again. If the replay has been cancelled in the meantime, the page still
 * counts.
 */
export const recordProgress = (
  deps: LeaseDeps,
  replay: LeasedReplay,
  reached: Replay['reached'],
  counts: ReplayCounts,
): Promise<LeasedReplay | null> =>
  leases(deps).change(replay, [
    {
      $set: {
        reached: { $literal: reached },
        requeued: { $add: ['$requeued', counts.requeued] },
        created: { $add: ['$created', counts.created] },
        skipped: { $add: ['$skipped', counts.skipped] },
        nextRunAt: { $cond: [{ $eq: ['$status', 'RUNNING'] }, leases(deps).endsAt(), null] },
      },
    },
  ]) as Promise<LeasedReplay | null>

/** Gives the lease back. A worker continues the replay after `restMs`. */
export async function releaseReplay(deps: LeaseDeps, replay: LeasedReplay, restMs: number): Promise<void> {
  const nextRunAt = new Date(deps.now().getTime() + restMs)
  await leases(deps).change(replay, { $set: { leaseToken: null, nextRunAt } }, { status: 'RUNNING' })
}

/**
 * Ends a replay as DONE or, if `reason` is not null, as CANCELLED. Returns the replay, or null if it is not RUNNING or
 * another worker has taken it over.
 */
export function endReplay(
  deps: LeaseDeps,
  replay: LeasedReplay,
  reason: ReplayCancellation | null,
): Promise<Replay | null> {
  const end = {
    status: reason === null ? ('DONE' as const) : ('CANCELLED' as const),
    cancellationReason: reason,
    leaseToken: null,
    ...ended(replay.sandbox, deps.now()),
  }
  return leases(deps).change(replay, { $set: end, $unset: { running: 1 } }, { status: 'RUNNING' })
}

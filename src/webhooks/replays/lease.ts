import type { ReplayCancellation } from '../../../schemas/responses/replay.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import { type Transactions, unlessLocked } from '../../mongo/transaction.ts'
import { newId } from '../../security/ids.ts'
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

const leaseEnd = (now: Date): Date => new Date(now.getTime() + leaseMs)

/** Takes the lease of the replay that has waited longest for a worker. Returns null if no replay is due. */
export async function leaseReplay(deps: LeaseDeps & { transactions: Transactions }): Promise<LeasedReplay | null> {
  const [replays, { now }] = [nativeCollection(deps.Replay), deps]
  const due = { running: true, nextRunAt: { $lte: now() } } as const
  const options = { projection: { _id: 1 }, sort: { nextRunAt: 1 }, hint: { nextRunAt: 1 }, limit: maxTried } as const
  for (const { _id } of await replays.find(due, options).toArray()) {
    const lease = { $set: { leaseToken: newId(), nextRunAt: leaseEnd(now()) } }
    const leased = await unlessLocked(deps, (session) =>
      replays.findOneAndUpdate({ _id, ...due }, lease, { returnDocument: 'after', session }),
    )
    if (leased !== null) return leased as LeasedReplay
  }
  return null
}

/**
 * Records the progress after a page of events and renews the lease. Returns null if another worker has taken over the
 * replay, which then processes the same page again. If the replay has been cancelled in the meantime, the page still
 * counts.
 */
export async function recordProgress(
  { Replay, now }: LeaseDeps,
  { _id, leaseToken }: LeasedReplay,
  reached: Replay['reached'],
  counts: ReplayCounts,
): Promise<LeasedReplay | null> {
  const replay = await nativeCollection(Replay).findOneAndUpdate(
    { _id, leaseToken },
    [
      {
        $set: {
          reached: { $literal: reached },
          requeued: { $add: ['$requeued', counts.requeued] },
          created: { $add: ['$created', counts.created] },
          skipped: { $add: ['$skipped', counts.skipped] },
          nextRunAt: { $cond: [{ $eq: ['$status', 'RUNNING'] }, leaseEnd(now()), null] },
        },
      },
    ],
    { returnDocument: 'after' },
  )
  return replay as LeasedReplay | null
}

/** Gives the lease back. A worker continues the replay after `restMs`. */
export async function releaseReplay(
  { Replay, now }: LeaseDeps,
  { _id, leaseToken }: LeasedReplay,
  restMs: number,
): Promise<void> {
  await nativeCollection(Replay).updateOne(
    { _id, leaseToken, status: 'RUNNING' },
    { $set: { leaseToken: null, nextRunAt: new Date(now().getTime() + restMs) } },
  )
}

/**
 * Ends a replay as DONE or, if `reason` is not null, as CANCELLED. Returns the replay, or null if it is not RUNNING or
 * another worker has taken it over.
 */
export function endReplay(
  { Replay, now }: LeaseDeps,
  { _id, leaseToken, sandbox }: LeasedReplay,
  reason: ReplayCancellation | null,
): Promise<Replay | null> {
  return nativeCollection(Replay).findOneAndUpdate(
    { _id, leaseToken, status: 'RUNNING' },
    {
      $set: {
        status: reason === null ? 'DONE' : 'CANCELLED',
        cancellationReason: reason,
        leaseToken: null,
        ...ended(sandbox, now()),
      },
      $unset: { running: 1 },
    },
    { returnDocument: 'after' },
  )
}

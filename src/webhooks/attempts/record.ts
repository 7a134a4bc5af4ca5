import type { Model } from 'mongoose'
import { type Batcher, backgroundRestMs, createBatcher } from '../../mongo/batching/batcher.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { AttemptRecord, Delivery } from '../deliveries/delivery.ts'
import type { ClaimedDelivery } from './claim.ts'

/** The changes that an attempt makes to its delivery. They are written only if the attempt still holds its lease. */
export interface AttemptResult {
  delivery: Pick<ClaimedDelivery, '_id' | 'leaseToken'>
  status: Delivery['status']
  nextAttemptAt: Date | null
  deliveredAt: Date | null
  deadAt: Date | null
  /** Null if the delivery was cancelled without an attempt. */
  attempt: AttemptRecord | null
}

/**
 * The maximum number of attempts that a delivery stores: enough for the 8 automatic ones and many re-queues. The oldest
 * are dropped first.
 */
const maxLogLength = 50

/**
 * Writes results in batches, one update each. Returns for each result whether it was written. In measurements, MongoDB
 * needed a quarter less time for one update with a list of results than for a bulk write of as many updates, because
 * one update is planned only once.
 */
export const createResultBatcher = (Delivery: Model<Delivery>): Batcher<AttemptResult, boolean> =>
  createBatcher(
    250,
    async (results) => {
      const ids = results.map(({ delivery }) => delivery._id)
      const tokens = [...new Set(results.map(({ delivery }) => delivery.leaseToken))]
      const { matchedCount } = await nativeCollection(Delivery).updateMany(
        { _id: { $in: ids }, leaseToken: { $in: tokens } },
        asPipeline(ids, results),
        { hint: '_id_' },
      )
      if (matchedCount === results.length) return results.map(() => true)
      return readWritten(Delivery, results)
    },
    backgroundRestMs,
  )

/**
 * Reads which results were written, because an update returns only their number. The attempts with unwritten results
 * had lost their lease.
 */
async function readWritten(Delivery: Model<Delivery>, results: AttemptResult[]): Promise<boolean[]> {
  const ids = results.map(({ delivery }) => delivery._id)
  const found = await nativeCollection(Delivery)
    .find<Pick<Delivery, '_id' | 'status' | 'attemptLog'>>(
      { _id: { $in: ids } },
      { projection: { status: 1, 'attemptLog.at': 1 } },
    )
    .toArray()
  const byId = new Map(found.map((delivery) => [delivery._id, delivery]))
  return results.map(({ delivery, status, attempt }) => {
    const now = byId.get(delivery._id)
    if (attempt === null) return now?.status === status
    // Two attempts at a delivery never begin in the same millisecond: the second waits for the first one's result or
    // the end of its lease.
    return now?.attemptLog.some(({ at }) => at.getTime() === attempt.at.getTime()) ?? false
  })
}

/**
 * Gives each document the result whose index is that of the document's id in `ids`. Uses `$literal` because the
 * response text may begin with `$`.
 */
function asPipeline(ids: string[], results: AttemptResult[]) {
  const changes = results.map(({ status, nextAttemptAt, deliveredAt, deadAt }) => ({
    status,
    nextAttemptAt,
    deliveredAt,
    deadAt,
    leaseToken: null,
  }))
  const attempts = results.map(({ attempt }) => (attempt === null ? [] : [attempt]))
  const index = { $indexOfArray: [{ $literal: ids }, '$_id'] }
  const ownOf = (list: unknown[]) => ({ $arrayElemAt: [{ $literal: list }, index] })
  return [
    { $replaceWith: { $mergeObjects: ['$$ROOT', ownOf(changes), { made: ownOf(attempts) }] } },
    {
      $set: {
        attempts: { $add: ['$attempts', { $size: '$made' }] },
        attemptLog: { $slice: [{ $concatArrays: ['$attemptLog', '$made'] }, -maxLogLength] },
      },
    },
    { $unset: 'made' },
  ]
}

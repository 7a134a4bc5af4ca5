import type { Model } from 'mongoose'
import { pastMongoose } from '../../collection.ts'
import { createLane, type Lane, unhurriedRestMs } from '../../group-commit/lane.ts'
import type { AttemptRecord, Delivery } from '../deliveries/delivery.ts'
import type { ClaimedDelivery } from './claim.ts'

/** What an attempt changes: written only while the attempt's own lease token still stands. */
export interface AttemptResult {
  delivery: Pick<ClaimedDelivery, '_id' | 'lease'>
  status: Delivery['status']
  nextAttemptAt: Date | null
  deliveredAt: Date | null
  deadAt: Date | null
  /** Null when no attempt was made, because the endpoint is gone. */
  attempt: AttemptRecord | null
}

/** More than 8 and a good many re-queues; older ones go first. */
const longestLog = 50

/** The lane of results: one bulk write for all attempts that end together. Answers of each whether it was written. */
export const createResultLane = (Delivery: Model<Delivery>): Lane<AttemptResult, boolean> =>
  createLane(
    500,
    async (results) => {
      const { matchedCount } = await pastMongoose(Delivery).bulkWrite(results.map(asUpdate), {
        ordered: false,
      })
      if (matchedCount === results.length) return results.map(() => true)
      return whichAreWritten(Delivery, results)
    },
    unhurriedRestMs,
  )

/** A bulk write tells how many it matched, not which: the rest had lost their lease. */
async function whichAreWritten(Delivery: Model<Delivery>, results: AttemptResult[]): Promise<boolean[]> {
  const ids = results.map(({ delivery }) => delivery._id)
  const found = await pastMongoose(Delivery)
    .find<Pick<Delivery, '_id' | 'status' | 'attemptLog'>>(
      { _id: { $in: ids } },
      { projection: { status: 1, 'attemptLog.at': 1 } },
    )
    .toArray()
  const byId = new Map(found.map((delivery) => [delivery._id, delivery]))
  return results.map(({ delivery, status, attempt }) => {
    const now = byId.get(delivery._id)
    if (attempt === null) return now?.status === status
    // No two attempts at a delivery begin in the same millisecond: the second waits until the first one's lease is over.
    return now?.attemptLog.some(({ at }) => at.getTime() === attempt.at.getTime()) ?? false
  })
}

const asUpdate = ({ delivery, attempt, ...change }: AttemptResult) => ({
  updateOne: {
    filter: { _id: delivery._id, 'lease.token': delivery.lease.token },
    update: {
      $set: { ...change, lease: null },
      ...(attempt === null
        ? {}
        : { $inc: { attempts: 1 }, $push: { attemptLog: { $each: [attempt], $slice: -longestLog } } }),
    },
  },
})

import type { Model } from 'mongoose'
import { pastMongoose } from '../collection.ts'
import { createLane, type Lane } from '../group-commit.ts'
import type { ClaimedDelivery } from './claim-delivery.ts'
import type { AttemptRecord, Delivery } from './delivery.ts'

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

/** The lane of results: one bulk write for all attempts that end together. */
export const createResultLane = (Delivery: Model<Delivery>): Lane<AttemptResult, void> =>
  createLane(500, async (results) => {
    await pastMongoose(Delivery).bulkWrite(results.map(asUpdate), { ordered: false })
    return results.map(() => undefined)
  })

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

import type { Model } from 'mongoose'
import { advisory, pastMongoose } from '../../collection.ts'
import { createLane, type Lane } from '../../group-commit/lane.ts'
import { type Delivery, openStatuses } from '../deliveries/delivery.ts'
import { free } from '../deliveries/lease.ts'

/** A delivery that is due and whose receiver has no room, and when it may come again. */
export interface Postponed {
  id: string
  nextAttemptAt: Date
}

/** The lane of postponements: one bulk write. What is no longer due, or in hand, stays as it is. */
export const createPostponeLane = (Delivery: Model<Delivery>, now: () => Date): Lane<Postponed, void> =>
  createLane(500, async (postponed) => {
    const due = { status: { $in: openStatuses }, nextAttemptAt: { $lte: now() }, ...free(now()) }
    await pastMongoose(Delivery).bulkWrite(
      postponed.map(({ id, nextAttemptAt }) => ({
        updateOne: { filter: { _id: id, ...due }, update: { $set: { nextAttemptAt } } },
      })),
      { ordered: false, writeConcern: advisory },
    )
    return postponed.map(() => undefined)
  })

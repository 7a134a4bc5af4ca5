import type { Model } from 'mongoose'
import { pastMongoose } from '../../collection.ts'
import { groupBy } from '../../group-by.ts'
import { createLane, type Lane } from '../../group-commit/lane.ts'
import { newId } from '../../ids.ts'
import { type Delivery, openStatuses } from '../deliveries/delivery.ts'
import { deliveryLeaseMs, free } from '../deliveries/lease.ts'

/** A delivery as a job asks for it: as it stands after so many re-queues. */
export interface Which {
  deliveryId: string
  redrives: number
}

/** A delivery whose attempt is this process's to make, with what an attempt needs. */
export interface ClaimedDelivery
  extends Pick<
    Delivery,
    | '_id'
    | 'sandbox'
    | 'event'
    | 'eventAt'
    | 'format'
    | 'facts'
    | 'referenceNumber'
    | 'attempts'
    | 'redrives'
    | 'requestId'
    | 'traceparent'
  > {
  lease: { token: string; until: Date }
}

/**
 * The lane of claims: takes every delivery asked for that is open, due and nobody's, in one update and one read.
 * Null for one that was not to be had. An id goes once into a batch; a second caller for it has lost.
 */
export const createClaimLane = (
  Delivery: Model<Delivery>,
  now: () => Date,
): Lane<Which, ClaimedDelivery | null> =>
  createLane(500, async (asked) => {
    const claimed = await claimTogether(Delivery, asked, now())
    return asked.map(({ deliveryId, redrives }) => {
      const delivery = claimed.get(deliveryId)
      if (delivery === undefined || redrives !== delivery.redrives) return null
      claimed.delete(deliveryId)
      return delivery
    })
  })

/** What an attempt needs. */
const neededFields = {
  sandbox: 1,
  event: 1,
  eventAt: 1,
  format: 1,
  facts: 1,
  referenceNumber: 1,
  attempts: 1,
  redrives: 1,
  lease: 1,
  requestId: 1,
  traceparent: 1,
}

async function claimTogether(
  Delivery: Model<Delivery>,
  asked: Which[],
  now: Date,
): Promise<Map<string, ClaimedDelivery>> {
  const token = newId()
  const collection = pastMongoose(Delivery)
  const which = byRedrives(asked)
  const due = { status: { $in: openStatuses }, nextAttemptAt: { $lte: now } }
  const until = new Date(now.getTime() + deliveryLeaseMs)
  const taken = await collection.updateMany(
    { $and: [which, due, free(now)] },
    { $set: { lease: { token, until } } },
  )
  if (taken.matchedCount === 0) return new Map()
  const mine = await collection
    .find<ClaimedDelivery>({ $and: [which, { 'lease.token': token }] }, { projection: neededFields })
    .toArray()
  return new Map(mine.map((delivery) => [delivery._id, delivery]))
}

/** All that are asked for; nearly always that is one group. */
const byRedrives = (asked: Which[]) => ({
  $or: [...groupBy(asked, ({ redrives }) => redrives)].map(([redrives, some]) => ({
    _id: { $in: [...new Set(some.map(({ deliveryId }) => deliveryId))] },
    redrives,
  })),
})

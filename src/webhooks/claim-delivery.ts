import type { Model } from 'mongoose'
import { pastMongoose } from '../collection.ts'
import { createLane, type Lane } from '../group-commit.ts'
import { newId } from '../ids.ts'
import { type Delivery, openStatuses } from './delivery.ts'

/** How long a claim is believed without being renewed; renewed every 3 s, so a dead worker's is over in 10 s. */
const deliveryLeaseMs = 10_000

/** A delivery whose attempt is this process's to make, with what an attempt needs. */
export interface ClaimedDelivery extends Pick<Delivery, '_id' | 'event' | 'body' | 'attempts' | 'redrives'> {
  lease: { token: string; until: Date }
}

/**
 * The lane of claims: takes every delivery asked for that is open, due and nobody's, in one update and one read.
 * Null for one that was not to be had. An id goes once into a batch; a second caller for it has lost.
 */
export const createClaimLane = (
  Delivery: Model<Delivery>,
  now: () => Date,
): Lane<string, ClaimedDelivery | null> =>
  createLane(500, async (ids) => {
    const claimed = await claimTogether(Delivery, [...new Set(ids)], now())
    return ids.map((id) => {
      const delivery = claimed.get(id) ?? null
      claimed.delete(id)
      return delivery
    })
  })

/** What an attempt needs. */
const neededFields = { event: 1, body: 1, attempts: 1, redrives: 1, lease: 1 }

async function claimTogether(
  Delivery: Model<Delivery>,
  ids: string[],
  now: Date,
): Promise<Map<string, ClaimedDelivery>> {
  const token = newId()
  const free = { $or: [{ lease: null }, { 'lease.until': { $lte: now } }] }
  const collection = pastMongoose(Delivery)
  const taken = await collection.updateMany(
    { _id: { $in: ids }, status: { $in: openStatuses }, nextAttemptAt: { $lte: now }, ...free },
    { $set: { lease: { token, until: new Date(now.getTime() + deliveryLeaseMs) } } },
  )
  if (taken.matchedCount === 0) return new Map()
  const mine = await collection
    .find<ClaimedDelivery>({ _id: { $in: ids }, 'lease.token': token }, { projection: neededFields })
    .toArray()
  return new Map(mine.map((delivery) => [delivery._id, delivery]))
}

/** The leases this process holds, renewed together by one update. */
export interface Leases {
  hold(delivery: ClaimedDelivery): void
  release(delivery: ClaimedDelivery): void
  renew(): Promise<void>
}

export function createLeases(Delivery: Model<Delivery>, now: () => Date): Leases {
  const held = new Map<string, string>()
  return {
    hold: (delivery) => void held.set(delivery._id, delivery.lease.token),
    release(delivery) {
      // An earlier attempt that lost its lease must not let go of a later one's.
      if (held.get(delivery._id) === delivery.lease.token) held.delete(delivery._id)
    },
    async renew() {
      if (held.size === 0) return
      await Delivery.updateMany(
        { _id: { $in: [...held.keys()] }, 'lease.token': { $in: [...new Set(held.values())] } },
        { $set: { 'lease.until': new Date(now().getTime() + deliveryLeaseMs) } },
      )
    },
  }
}

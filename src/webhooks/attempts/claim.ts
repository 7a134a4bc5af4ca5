import type { Model } from 'mongoose'
import { type Batcher, createBatcher } from '../../mongo/batching/batcher.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { newId } from '../../security/ids.ts'
import type { Delivery } from '../deliveries/delivery.ts'
import { claimable, leaseEnd } from '../deliveries/lease.ts'

/** A delivery leased by this process, with the fields that an attempt needs. */
export interface ClaimedDelivery extends Pick<Delivery, '_id' | keyof typeof neededFields> {
  leaseToken: string
  /** When the lease ends. */
  nextAttemptAt: Date
}

const neededFields = {
  sandbox: 1,
  businessId: 1,
  event: 1,
  eventAt: 1,
  format: 1,
  facts: 1,
  referenceNumber: 1,
  attempts: 1,
  requeues: 1,
  leaseToken: 1,
  nextAttemptAt: 1,
  requestId: 1,
  traceparent: 1,
} as const

/**
 * Creates a batcher that claims deliveries by id, with one update and one read per batch. The batcher returns null for
 * a delivery that is not due or is already leased. If two callers in the same batch pass the same id, only the first of
 * them gets the delivery.
 */
export const createClaimBatcher = (
  Delivery: Model<Delivery>,
  now: () => Date,
): Batcher<string, ClaimedDelivery | null> =>
  createBatcher(500, async (ids) => {
    const claimed = await claimTogether(Delivery, [...new Set(ids)], now())
    return ids.map((id) => {
      const delivery = claimed.get(id)
      claimed.delete(id)
      return delivery ?? null
    })
  })

async function claimTogether(
  Delivery: Model<Delivery>,
  ids: string[],
  now: Date,
): Promise<Map<string, ClaimedDelivery>> {
  const leaseToken = newId()
  const collection = nativeCollection(Delivery)
  const { matchedCount } = await collection.updateMany(
    { _id: { $in: ids }, ...claimable(now) },
    { $set: { leaseToken, nextAttemptAt: leaseEnd(now) } },
  )
  if (matchedCount === 0) return new Map()
  const claimed = await collection
    .find<ClaimedDelivery>({ _id: { $in: ids }, leaseToken }, { projection: neededFields })
    .toArray()
  return new Map(claimed.map((delivery) => [delivery._id, delivery]))
}

/** Ends the lease on a delivery that has not been attempted, so that the delivery is due again immediately. */
export async function giveBack(
  { Delivery, now }: { Delivery: Model<Delivery>; now: () => Date },
  { _id, leaseToken }: Pick<ClaimedDelivery, '_id' | 'leaseToken'>,
): Promise<void> {
  const change = { leaseToken: null, nextAttemptAt: now() }
  await nativeCollection(Delivery).updateOne({ _id, leaseToken }, { $set: change })
}

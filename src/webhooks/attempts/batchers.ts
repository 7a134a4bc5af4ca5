import type { Model } from 'mongoose'
import { type Batcher, backgroundRest, createBatcher, createByIdBatcher, insertsOf } from '../../mongo/batchers.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../platform/deps.ts'
import { newId } from '../../platform/ids.ts'
import { createBodySourceBatcher } from '../body.ts'
import type { AttemptRecord, Delivery } from '../deliveries/delivery.ts'
import { claimable, leaseEnd } from '../deliveries/lease.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { SlotOwner } from './slots.ts'

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
export const createClaimBatcher = (Delivery: Model<Delivery>, now: () => Date) =>
  createBatcher<string, ClaimedDelivery | null>(500, async (ids) => {
    const claimed = await claimTogether(Delivery, [...new Set(ids)], now())
    return ids.map((id) => {
      const delivery = claimed.get(id)
      claimed.delete(id)
      return delivery ?? null
    })
  })

async function claimTogether(Delivery: Model<Delivery>, ids: string[], now: Date) {
  const leaseToken = newId()
  const collection = nativeCollection(Delivery)
  const { matchedCount } = await collection.updateMany(
    { _id: { $in: ids }, ...claimable(now) },
    { $set: { leaseToken, nextAttemptAt: leaseEnd(now) } },
  )
  if (matchedCount === 0) return new Map<string, ClaimedDelivery>()
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

/** What an attempt changes in its delivery. */
export type Verdict = Pick<Delivery, 'status' | 'nextAttemptAt' | 'deliveredAt' | 'deadAt'>

/**
 * The changes that an attempt makes to its delivery. These changes are written only if the attempt still holds the
 * lease.
 */
interface AttemptResult extends Verdict {
  delivery: Pick<ClaimedDelivery, '_id' | 'leaseToken'>
  /** When the delivery was cancelled. Present only if it was. */
  cancelledAt?: Date
  /** The attempt to record, or null if the delivery was cancelled without an attempt. */
  attempt: AttemptRecord | null
  /** Whether merchants may select the delivery by the status of this attempt. */
  isSelectable?: boolean
}

/**
 * The maximum number of attempts stored in a delivery. This is enough for the 8 automatic attempts and for the attempts
 * of many re-queues. When the list is full, the oldest attempts are dropped.
 */
const maxLogLength = 50

/**
 * Creates a batcher that writes the results of attempts, with one update per batch. The batcher returns whether a
 * result was written. In measurements, MongoDB took a quarter less time for one update with a list of results than for
 * a bulk write with one update per result, because MongoDB had to plan only one update.
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
    backgroundRest,
  )

/**
 * Finds out which results were written, because the response to an update contains only the number of changed
 * documents. A result is not written if its attempt has lost the lease.
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
    // Two attempts at the same delivery never start in the same millisecond, because the second attempt starts only
    // when the first has a result or has lost its lease.
    return now?.attemptLog.some(({ at }) => at.getTime() === attempt.at.getTime()) ?? false
  })
}

/**
 * Returns an update pipeline that writes `results[i]` to the document whose id is `ids[i]`. The pipeline contains the
 * values as `$literal`, because the text of a response may begin with `$`.
 */
function asPipeline(ids: string[], results: AttemptResult[]) {
  const changes = results.map(({ status, nextAttemptAt, deliveredAt, deadAt, cancelledAt, attempt, isSelectable }) => ({
    status,
    nextAttemptAt,
    deliveredAt,
    deadAt,
    ...(cancelledAt === undefined ? {} : { cancelledAt }),
    leaseToken: null,
    ...(attempt === null ? {} : { failureStatus: isSelectable && attempt.stage !== null ? attempt.status : null }),
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
        // The field is removed rather than set to null, because the index contains every delivery that has the field.
        failureStatus: { $ifNull: ['$failureStatus', '$$REMOVE'] },
      },
    },
    { $unset: 'made' },
  ]
}

/** An endpoint with the fields that an attempt needs. */
export type AttemptEndpoint = Pick<Endpoint, '_id' | keyof typeof fields>

const fields = {
  businessId: 1,
  sandbox: 1,
  url: 1,
  secret: 1,
  previousSecrets: 1,
  active: 1,
  deletedAt: 1,
  health: 1,
} as const

export const createEndpointBatcher = (Endpoint: Model<Endpoint>): Batcher<string, AttemptEndpoint | null> =>
  createByIdBatcher<Endpoint, AttemptEndpoint>(Endpoint, fields)

type SlotEndpoint = Pick<Endpoint, '_id' | 'businessId' | 'url' | 'health'>

export function slotOwner({ _id, businessId, url, health }: SlotEndpoint): SlotOwner {
  return { endpointId: _id, businessId, health, origin: new URL(url).host }
}

/** The state of a delivery, without the event data that is stored in its `facts` field. */
type DeliveryStanding = Pick<Delivery, '_id' | keyof typeof standing>
const standing = {
  status: 1,
  attempts: 1,
  requeues: 1,
  nextAttemptAt: 1,
  leaseToken: 1,
  attemptLog: { $slice: -1 },
} as const

export const openWebhookBatchers = (
  models: Pick<Models, 'Endpoint' | 'Delivery' | 'Intent' | 'Order'>,
  now: () => Date,
) => ({
  findEndpoint: createEndpointBatcher(models.Endpoint),
  insertDelivery: insertsOf(models.Delivery),
  lookAtDelivery: createByIdBatcher<Delivery, DeliveryStanding>(models.Delivery, standing),
  claimDelivery: createClaimBatcher(models.Delivery, now),
  recordResult: createResultBatcher(models.Delivery),
  findBodySource: createBodySourceBatcher(models),
})

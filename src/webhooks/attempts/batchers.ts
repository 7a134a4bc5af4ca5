import type { Model } from 'mongoose'
import {
  type Batcher,
  backgroundRest,
  createBatcher,
  createByIdBatcher,
  insertsOf,
} from '../../mongo/batchers.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../platform/deps.ts'
import { newId } from '../../platform/ids.ts'
import { createBodySourceBatcher } from '../body.ts'
import type { AttemptRecord, Delivery } from '../deliveries/delivery.ts'
import { leasable, leaseEnd } from '../deliveries/lease.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { SlotOwner } from './slots.ts'

/** A delivery leased by this process, with what an attempt needs. */
export interface LeasedDelivery extends Pick<Delivery, '_id' | keyof typeof neededFields> {
  leaseToken: string
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
 * Leases deliveries by id, with one update and one read per batch. Returns null for a delivery that isn't due or is
 * already leased. If two callers in a batch pass the same id, only the first gets it.
 */
export const createLeaseBatcher = (Delivery: Model<Delivery>, now: () => Date) =>
  createBatcher<string, LeasedDelivery | null>(500, async (ids) => {
    const leased = await leaseTogether(Delivery, [...new Set(ids)], now())
    return ids.map((id) => {
      const delivery = leased.get(id)
      leased.delete(id)
      return delivery ?? null
    })
  })

async function leaseTogether(Delivery: Model<Delivery>, ids: string[], now: Date) {
  const leaseToken = newId()
  const collection = nativeCollection(Delivery)
  const { matchedCount } = await collection.updateMany(
    { _id: { $in: ids }, ...leasable(now) },
    { $set: { leaseToken, nextAttemptAt: leaseEnd(now) } },
  )
  if (matchedCount === 0) return new Map<string, LeasedDelivery>()
  const leased = await collection
    .find<LeasedDelivery>({ _id: { $in: ids }, leaseToken }, { projection: neededFields })
    .toArray()
  return new Map(leased.map((delivery) => [delivery._id, delivery]))
}

/** Ends the lease without an attempt, so that the delivery is due again at once. */
export async function endLease(
  { Delivery, now }: { Delivery: Model<Delivery>; now: () => Date },
  { _id, leaseToken }: Pick<LeasedDelivery, '_id' | 'leaseToken'>,
): Promise<void> {
  const change = { leaseToken: null, nextAttemptAt: now() }
  await nativeCollection(Delivery).updateOne({ _id, leaseToken }, { $set: change })
}

export type Verdict = Pick<Delivery, 'status' | 'nextAttemptAt' | 'deliveredAt' | 'deadAt'>

/** Written only if the attempt still holds the lease. */
interface AttemptResult extends Verdict {
  delivery: Pick<LeasedDelivery, '_id' | 'leaseToken'>
  cancelledAt?: Date
  /** Null if the delivery was cancelled without an attempt. */
  attempt: AttemptRecord | null
  /** Whether merchants may filter deliveries by the status of this attempt. */
  isSelectable?: boolean
}

/** Enough for the 8 scheduled attempts and many re-queues. The oldest are dropped first. */
const maxLogLength = 50

/**
 * Writes results with one update per batch, and returns which ones were written. An update with a list of results took
 * MongoDB a quarter less time than a bulk write, because it plans just one update.
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

/** The update returns only a number. A result isn't written if its attempt has lost the lease. */
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
    // Two attempts at a delivery never start in the same millisecond, because the second one waits until the first has
    // a result or has lost its lease.
    return now?.attemptLog.some(({ at }) => at.getTime() === attempt.at.getTime()) ?? false
  })
}

/** Writes `results[i]` to document `ids[i]`. Values are `$literal`, because a response may begin with `$`. */
function asPipeline(ids: string[], results: AttemptResult[]) {
  const changes = results.map(
    ({ status, nextAttemptAt, deliveredAt, deadAt, cancelledAt, attempt, isSelectable }) => ({
      status,
      nextAttemptAt,
      deliveredAt,
      deadAt,
      ...(cancelledAt === undefined ? {} : { cancelledAt }),
      leaseToken: null,
      ...(attempt === null
        ? {}
        : { failureStatus: isSelectable && attempt.stage !== null ? attempt.status : null }),
    }),
  )
  const attempts = results.map(({ attempt }) => (attempt === null ? [] : [attempt]))
  const index = { $indexOfArray: [{ $literal: ids }, '$_id'] }
  const ownOf = (list: unknown[]) => ({ $arrayElemAt: [{ $literal: list }, index] })
  return [
    { $replaceWith: { $mergeObjects: ['$$ROOT', ownOf(changes), { made: ownOf(attempts) }] } },
    {
      $set: {
        attempts: { $add: ['$attempts', { $size: '$made' }] },
        attemptLog: { $slice: [{ $concatArrays: ['$attemptLog', '$made'] }, -maxLogLength] },
        // Removed rather than set to null, because the index contains every delivery that has the field.
        failureStatus: { $ifNull: ['$failureStatus', '$$REMOVE'] },
      },
    },
    { $unset: 'made' },
  ]
}

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

/** Leaves out `facts`, the event's data, which is large. */
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
  leaseDelivery: createLeaseBatcher(models.Delivery, now),
  recordResult: createResultBatcher(models.Delivery),
  findBodySource: createBodySourceBatcher(models),
})

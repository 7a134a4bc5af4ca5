import type { Model } from 'mongoose'
import { backgroundRestMs, createBatcher } from '../../mongo/batchers.ts'
import { rawCollection } from '../../mongo/collection.ts'
import type { Deps } from '../../platform/deps.ts'
import { newId } from '../../platform/ids.ts'
import { type AttemptRecord, type Delivery, leasableFilter, leaseEndFrom } from './delivery.ts'

export interface LeasedDelivery extends Omit<Delivery, 'attemptLog'> {
  leaseToken: string
  nextAttemptAt: Date
}
type Lease = Pick<LeasedDelivery, '_id' | 'leaseToken'>

/** If two callers pass the same id, only the first gets the delivery. */
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
  const collection = rawCollection(Delivery)
  const { matchedCount } = await collection.updateMany(
    { _id: { $in: ids }, ...leasableFilter(now) },
    { $set: { leaseToken, nextAttemptAt: leaseEndFrom(now) } },
  )
  if (matchedCount === 0) return new Map<string, LeasedDelivery>()
  const leased = await collection
    .find<LeasedDelivery>({ _id: { $in: ids }, leaseToken }, { projection: { attemptLog: 0 } })
    .toArray()
  return new Map(leased.map((delivery) => [delivery._id, delivery]))
}

export async function endLease(
  { Delivery, now }: Pick<Deps, 'Delivery' | 'now'>,
  { _id, leaseToken }: Lease,
): Promise<void> {
  const change = { leaseToken: null, nextAttemptAt: now() }
  await rawCollection(Delivery).updateOne({ _id, leaseToken }, { $set: change })
}

export type AttemptVerdict = Pick<Delivery, 'status' | 'nextAttemptAt' | 'deliveredAt' | 'deadAt'>

interface AttemptResult extends AttemptVerdict {
  delivery: Lease
  cancelledAt?: Date
  /** Null if the delivery was cancelled without an attempt. */
  attempt: AttemptRecord | null
  isSelectable?: boolean
}

/** The oldest attempts are dropped first. */
const maxLogLength = 50

/** One update for a batch takes a quarter less time than a bulk write. */
export const createResultBatcher = (Delivery: Model<Delivery>) =>
  createBatcher<AttemptResult, boolean>(
    250,
    async (results) => {
      const ids = results.map(({ delivery }) => delivery._id)
      const tokens = [...new Set(results.map(({ delivery }) => delivery.leaseToken))]
      const { matchedCount } = await rawCollection(Delivery).updateMany(
        { _id: { $in: ids }, leaseToken: { $in: tokens } },
        asPipeline(ids, results),
        { hint: '_id_' },
      )
      if (matchedCount === results.length) return results.map(() => true)
      return readWritten(Delivery, results)
    },
    backgroundRestMs,
  )

/** The update returns how many results were written, not which. */
async function readWritten(Delivery: Model<Delivery>, results: AttemptResult[]): Promise<boolean[]> {
  const ids = results.map(({ delivery }) => delivery._id)
  const found = await rawCollection(Delivery)
    .find<Pick<Delivery, '_id' | 'status' | 'attemptLog'>>(
      { _id: { $in: ids } },
      { projection: { status: 1, 'attemptLog.at': 1 } },
    )
    .toArray()
  const byId = new Map(found.map((delivery) => [delivery._id, delivery]))
  return results.map(({ delivery, status, attempt }) => {
    const now = byId.get(delivery._id)
    if (attempt === null) return now?.status === status
    // A delivery's attempts never start in the same millisecond.
    return now?.attemptLog.some(({ at }) => at.getTime() === attempt.at.getTime()) ?? false
  })
}

/** Values are `$literal`, because a response may begin with `$`. */
function asPipeline(ids: string[], results: AttemptResult[]) {
  const changes = results.map(({ delivery: _delivery, attempt, isSelectable, ...verdict }) => {
    const failureStatus = isSelectable && attempt?.stage ? attempt.status : null
    return { ...verdict, leaseToken: null, ...(attempt !== null && { failureStatus }) }
  })
  const attempts = results.map(({ attempt }) => (attempt === null ? [] : [attempt]))
  const index = { $indexOfArray: [{ $literal: ids }, '$_id'] }
  const ownOf = (list: unknown[]) => ({ $arrayElemAt: [{ $literal: list }, index] })
  return [
    { $replaceWith: { $mergeObjects: ['$$ROOT', ownOf(changes), { made: ownOf(attempts) }] } },
    {
      $set: {
        attempts: { $add: ['$attempts', { $size: '$made' }] },
        attemptLog: { $slice: [{ $concatArrays: ['$attemptLog', '$made'] }, -maxLogLength] },
        // The index includes every delivery with this field, even if it's null.
        failureStatus: { $ifNull: ['$failureStatus', '$$REMOVE'] },
      },
    },
    { $unset: 'made' },
  ]
}

interface Held {
  token: string
  /** Null once the request has ended. */
  abort: (() => void) | null
}

export type DeliveryLeases = ReturnType<typeof createHeldLeases>

export function createHeldLeases(Delivery: Model<Delivery>, now: () => Date) {
  const held = new Map<string, Held>()

  /** An earlier attempt must not use a later attempt's lease. */
  function leaseOf({ _id, leaseToken }: Lease): Held | undefined {
    const lease = held.get(_id)
    return lease?.token === leaseToken ? lease : undefined
  }

  async function abortLost(ids: string[]): Promise<void> {
    const found = await rawCollection(Delivery)
      .find<Lease>({ _id: { $in: ids } }, { projection: { leaseToken: 1 } })
      .toArray()
    const tokens = new Map(found.map(({ _id, leaseToken }) => [_id, leaseToken]))
    for (const id of ids) {
      const lease = held.get(id)
      if (lease === undefined || lease.token === tokens.get(id)) continue
      held.delete(id)
      lease.abort?.()
    }
  }

  /** Returns how many leases it changed. The others have been lost. */
  async function changeLeases(
    leases: [id: string, Held][],
    change: Partial<Pick<Delivery, 'leaseToken' | 'nextAttemptAt'>>,
  ): Promise<number> {
    const ids = leases.map(([id]) => id)
    const tokens = [...new Set(leases.map(([, { token }]) => token))]
    const { matchedCount } = await rawCollection(Delivery).updateMany(
      { _id: { $in: ids }, leaseToken: { $in: tokens } },
      { $set: change },
    )
    return matchedCount
  }

  return {
    hold: ({ _id, leaseToken }: Lease): void =>
      void held.set(_id, { token: leaseToken, abort: () => undefined }),
    /** A lease is lost if the endpoint is disabled or this process freezes. */
    onLost(delivery: Lease, abort: () => void): void {
      const lease = leaseOf(delivery)
      if (lease) lease.abort = abort
      else abort()
    },
    /** From now on, `giveUp` keeps the lease, so that the result is written. */
    onRequestEnd(delivery: Lease): void {
      const lease = leaseOf(delivery)
      if (lease) lease.abort = null
    },
    holds: (delivery: Lease): boolean => leaseOf(delivery) !== undefined,
    release(delivery: Lease): void {
      if (leaseOf(delivery)) held.delete(delivery._id)
    },
    async renew(): Promise<void> {
      if (held.size === 0) return
      const ids = [...held.keys()]
      const matched = await changeLeases([...held], { nextAttemptAt: leaseEndFrom(now()) })
      if (matched < ids.length) await abortLost(ids)
    },
    /** Returns how many attempts it aborted. */
    async giveUp(): Promise<number> {
      const open = [...held].filter(([, { abort }]) => abort !== null)
      for (const [id, { abort }] of open) {
        held.delete(id)
        abort?.()
      }
      if (open.length > 0) await changeLeases(open, { leaseToken: null, nextAttemptAt: now() })
      return open.length
    },
  }
}

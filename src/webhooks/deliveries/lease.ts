import type { Model } from 'mongoose'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Delivery } from './delivery.ts'

/**
 * How long a lease lasts after it is obtained or renewed. Leases are renewed every 3 s, so the lease of a dead worker
 * ends within 10 s.
 */
export const deliveryLeaseMs = 10_000

/** A filter for deliveries that a worker may claim, because they are due and not leased. */
export const leasable = (now: Date) => ({ nextAttemptAt: { $type: 'date' as const, $lte: now } })

/** Whether the delivery is leased, which means that a worker is attempting it. */
export const isLeased = (
  { leaseToken, nextAttemptAt }: Pick<Delivery, 'leaseToken' | 'nextAttemptAt'>,
  now: Date,
): boolean => leaseToken !== null && nextAttemptAt !== null && nextAttemptAt > now

export const leaseEnd = (now: Date): Date => new Date(now.getTime() + deliveryLeaseMs)

/**
 * Returns the time to display for the next attempt. If an attempt is in flight, this is the time at which its lease was
 * obtained or last renewed.
 */
export const dueAt = ({
  leaseToken,
  nextAttemptAt,
}: Pick<Delivery, 'leaseToken' | 'nextAttemptAt'>): Date | null =>
  leaseToken === null || nextAttemptAt === null
    ? nextAttemptAt
    : new Date(nextAttemptAt.getTime() - deliveryLeaseMs)

/** A delivery that has been leased by this process. */
interface Leased {
  _id: string
  leaseToken: string
}

export type Leases = ReturnType<typeof createLeases>

interface Held {
  token: string
  /** Null once the request has ended, with or without a response. */
  abort: (() => void) | null
}

/** The leases held by this process. */
export function createLeases(Delivery: Model<Delivery>, now: () => Date) {
  const held = new Map<string, Held>()

  /** An earlier attempt that has lost its lease must not use the lease of a later attempt. */
  function leaseOf({ _id, leaseToken }: Leased): Held | undefined {
    const lease = held.get(_id)
    return lease?.token === leaseToken ? lease : undefined
  }

  async function abortLost(ids: string[]): Promise<void> {
    const found = await nativeCollection(Delivery)
      .find<Leased>({ _id: { $in: ids } }, { projection: { leaseToken: 1 } })
      .toArray()
    const tokens = new Map(found.map(({ _id, leaseToken }) => [_id, leaseToken]))
    for (const id of ids) {
      const lease = held.get(id)
      if (lease === undefined || lease.token === tokens.get(id)) continue
      held.delete(id)
      lease.abort?.()
    }
  }

  /** Changes those of the given leases that this process still holds. Returns their number. */
  async function changeLeases(
    leases: [id: string, Held][],
    change: Partial<Pick<Delivery, 'leaseToken' | 'nextAttemptAt'>>,
  ): Promise<number> {
    const ids = leases.map(([id]) => id)
    const tokens = [...new Set(leases.map(([, { token }]) => token))]
    const { matchedCount } = await nativeCollection(Delivery).updateMany(
      { _id: { $in: ids }, leaseToken: { $in: tokens } },
      { $set: change },
    )
    return matchedCount
  }

  return {
    /** Adds a lease. From then on, each call to `renew` renews the lease until `release` is called. */
    hold: ({ _id, leaseToken }: Leased): void =>
      void held.set(_id, { token: leaseToken, abort: () => undefined }),
    /**
     * Sets a function that is called when `renew` finds that the lease has been lost: the endpoint is deleted or
     * disabled, or the process was frozen for so long that another worker has taken over the delivery.
     */
    onLost(delivery: Leased, abort: () => void): void {
      const lease = leaseOf(delivery)
      if (lease) lease.abort = abort
      else abort()
    },
    /** Must be called when the request has ended, so that `giveUp` leaves the lease until the result is written. */
    onRequestEnd(delivery: Leased): void {
      const lease = leaseOf(delivery)
      if (lease) lease.abort = null
    },
    /** Whether this process believes that it still holds the lease. */
    holds: (delivery: Leased): boolean => leaseOf(delivery) !== undefined,
    release(delivery: Leased): void {
      if (leaseOf(delivery)) held.delete(delivery._id)
    },
    /** Renews all leases of this process in one write. */
    async renew(): Promise<void> {
      if (held.size === 0) return
      const ids = [...held.keys()]
      const matched = await changeLeases([...held], { nextAttemptAt: leaseEnd(now()) })
      if (matched < ids.length) await abortLost(ids)
    },
    /**
     * Aborts all attempts whose requests have not ended, and ends their leases in one write, so that the deliveries are
     * due again. Returns the number of these attempts. None of them is recorded.
     */
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

import type { Model } from 'mongoose'
import { pastMongoose } from '../../collection.ts'
import type { Delivery } from './delivery.ts'

/** A lease lasts this long unless it is renewed. It is renewed every 3 s, so the lease of a dead worker ends within 10 s. */
export const deliveryLeaseMs = 10_000

/** The filter for deliveries that a worker may attempt: they are due, and no lease runs. */
export const claimable = (now: Date) => ({ nextAttemptAt: { $type: 'date' as const, $lte: now } })

/** Whether a worker is attempting the delivery now. */
export const isLeased = (
  { leaseToken, nextAttemptAt }: Pick<Delivery, 'leaseToken' | 'nextAttemptAt'>,
  now: Date,
): boolean => leaseToken !== null && nextAttemptAt !== null && nextAttemptAt > now

export const leaseEnd = (now: Date): Date => new Date(now.getTime() + deliveryLeaseMs)

/** When the next attempt is due, for people. While an attempt is in flight: when it began, or when its lease was last renewed. */
export const dueAt = ({
  leaseToken,
  nextAttemptAt,
}: Pick<Delivery, 'leaseToken' | 'nextAttemptAt'>): Date | null =>
  leaseToken === null || nextAttemptAt === null
    ? nextAttemptAt
    : new Date(nextAttemptAt.getTime() - deliveryLeaseMs)

/** A delivery that this process attempts. */
interface Leased {
  _id: string
  leaseToken: string
}

/** The leases that this process holds. */
export interface Leases {
  /** Renews the lease until `release`. */
  hold(delivery: Leased): void
  /** Calls `end` if the lease is taken away: the endpoint was deleted, or the process was frozen. */
  onLost(delivery: Leased, end: () => void): void
  /** Whether this process still believes that it holds the lease. */
  holds(delivery: Leased): boolean
  release(delivery: Leased): void
  /** Renews all of them in one write. */
  renew(): Promise<void>
}

interface Held {
  token: string
  end: (() => void) | null
}

export function createLeases(Delivery: Model<Delivery>, now: () => Date): Leases {
  const held = new Map<string, Held>()

  async function abortLost(ids: string[]): Promise<void> {
    const found = await pastMongoose(Delivery)
      .find<Leased>({ _id: { $in: ids } }, { projection: { leaseToken: 1 } })
      .toArray()
    const tokens = new Map(found.map(({ _id, leaseToken }) => [_id, leaseToken]))
    for (const id of ids) {
      const mine = held.get(id)
      if (mine === undefined || mine.token === tokens.get(id)) continue
      held.delete(id)
      mine.end?.()
    }
  }

  return {
    hold: ({ _id, leaseToken }) => void held.set(_id, { token: leaseToken, end: null }),
    onLost({ _id, leaseToken }, end) {
      const mine = held.get(_id)
      if (mine?.token === leaseToken) mine.end = end
      else end()
    },
    holds: ({ _id, leaseToken }) => held.get(_id)?.token === leaseToken,
    release({ _id, leaseToken }) {
      // An earlier attempt that lost its lease must not release the lease of a later one.
      if (held.get(_id)?.token === leaseToken) held.delete(_id)
    },
    async renew() {
      if (held.size === 0) return
      const ids = [...held.keys()]
      const tokens = [...new Set([...held.values()].map(({ token }) => token))]
      const { matchedCount } = await pastMongoose(Delivery).updateMany(
        { _id: { $in: ids }, leaseToken: { $in: tokens } },
        { $set: { nextAttemptAt: leaseEnd(now()) } },
      )
      if (matchedCount < ids.length) await abortLost(ids)
    },
  }
}

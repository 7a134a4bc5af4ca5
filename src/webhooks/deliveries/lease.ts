import type { Model } from 'mongoose'
import type { Delivery } from './delivery.ts'

/** How long a claim is believed without being renewed; renewed every 3 s, so a dead worker's is over in 10 s. */
export const deliveryLeaseMs = 10_000

/** The filter for what is nobody's attempt now. */
export const free = (now: Date) => ({ $or: [{ lease: null }, { 'lease.until': { $lte: now } }] })

/** Whether somebody is attempting it now: what `free` does not find. */
export const isLeased = ({ lease }: Pick<Delivery, 'lease'>, now: Date): boolean =>
  lease !== null && lease.until > now

/** A delivery whose attempt is this process's to make. */
interface Leased {
  _id: string
  lease: { token: string }
}

/** The leases this process holds, renewed together by one update. */
export interface Leases {
  hold(delivery: Leased): void
  release(delivery: Leased): void
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

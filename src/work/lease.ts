import type { mongo } from 'mongoose'
import { newId } from '../platform/ids.ts'

/** A document that at most one process works on. Only the holder of `leaseToken` may change it. */
export interface Leasable {
  _id: string
  leaseToken: string | null
}

/** `field` is when any process may take the document: when its work is due or, while leased, the lease ends. */
export function leasesOn<Doc extends Leasable>(
  collection: mongo.Collection<Doc>,
  { field, leaseMs }: { field: keyof Doc & string; leaseMs: number },
  now: () => Date,
) {
  const endsAt = (): Date => new Date(now().getTime() + leaseMs)
  return {
    endsAt,
    /** Returns null if no document matches, or if another process was first. */
    take: (free: mongo.Filter<Doc>, options: mongo.FindOneAndUpdateOptions = {}): Promise<Doc | null> =>
      collection.findOneAndUpdate(
        free,
        { $set: { leaseToken: newId(), [field]: endsAt() } } as unknown as mongo.UpdateFilter<Doc>,
        { ...options, returnDocument: 'after' },
      ) as Promise<Doc | null>,
    /** Returns null if the lease is lost or the guard doesn't match. */
    change: (
      { _id, leaseToken }: Leasable,
      update: mongo.UpdateFilter<Doc> | mongo.Document[],
      guard: object = {},
    ): Promise<Doc | null> =>
      collection.findOneAndUpdate({ _id, leaseToken, ...guard } as mongo.Filter<Doc>, update, {
        returnDocument: 'after',
      }) as Promise<Doc | null>,
  }
}

import type { mongo } from 'mongoose'
import { newId } from '../platform/ids.ts'

export type Leasable = { _id: string; leaseToken: string | null }

/** A document can be leased once the time in `field` has passed. */
export function documentLeases<Doc extends Leasable>(
  collection: mongo.Collection<Doc>,
  { field, leaseMs }: { field: keyof Doc & string; leaseMs: number },
  now: () => Date,
) {
  const endsAt = (): Date => new Date(now().getTime() + leaseMs)
  return {
    endsAt,
    /** Returns null if another process was first. */
    take: (free: mongo.Filter<Doc>, options: mongo.FindOneAndUpdateOptions = {}): Promise<Doc | null> =>
      collection.findOneAndUpdate(
        free,
        { $set: { leaseToken: newId(), [field]: endsAt() } } as unknown as mongo.UpdateFilter<Doc>,
        { ...options, returnDocument: 'after' },
      ) as Promise<Doc | null>,
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

import type { mongo } from 'mongoose'
import * as field from '../mongo/fields.ts'
import { newId } from '../platform/ids.ts'

export type Leasable = { _id: string; leaseToken: string | null }

/** A document can be leased once the time in `field` has passed. */
export function documentLeases<Doc extends Leasable>(
  collection: mongo.Collection<Doc>,
  { field: endField, leaseMs }: { field: keyof Doc & string; leaseMs: number },
  now: () => Date,
) {
  const endsAt = (): Date => new Date(now().getTime() + leaseMs)
  return {
    endsAt,
    /** Returns null if another process was first. */
    take: (free: mongo.Filter<Doc>, options: mongo.FindOneAndUpdateOptions = {}): Promise<Doc | null> =>
      collection.findOneAndUpdate(
        free,
        { $set: { leaseToken: newId(), [endField]: endsAt() } } as unknown as mongo.UpdateFilter<Doc>,
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

export const longLeaseFields = {
  _id: field.text,
  leaseToken: field.orNull(field.text),
  leaseEndsAt: field.date,
}
type LongLease = field.DocumentOf<typeof longLeaseFields>

/** A page of the clean-up takes up to 48 s (12 calls of 4 s), and a pause up to 10 s. */
const longLeaseMs = 60_000
/** The lease holder's clock may be fast. */
const maxLeaseMs = 2 * longLeaseMs

/** A forged end in the far future would otherwise stop the clean-up. */
export const isRecordLeased = ({ leaseEndsAt }: Pick<LongLease, 'leaseEndsAt'>, now: Date): boolean =>
  leaseEndsAt > now && leaseEndsAt.getTime() <= now.getTime() + maxLeaseMs

export class LeaseLost extends Error {}

export async function takeLongLease<Doc extends LongLease>(
  documents: mongo.Collection<Doc>,
  { _id, work }: { _id: string; work: string },
  now: () => Date,
  options: mongo.FindOneAndUpdateOptions = {},
) {
  const leases = documentLeases(documents, { field: 'leaseEndsAt', leaseMs: longLeaseMs }, now)
  const after = (ms: number) => new Date(now().getTime() + ms)
  const free = { _id, leaseEndsAt: { $not: { $gt: after(0), $lte: after(maxLeaseMs) } } } as mongo.Filter<Doc>
  const record = await leases.take(free, options)
  if (record === null) return null
  const change = (fields: object) => leases.change(record, { $set: fields as Doc })
  return {
    record,
    async renew(fields: Partial<Doc>): Promise<void> {
      const held = await change({ ...fields, leaseEndsAt: leases.endsAt() })
      if (held === null) throw new LeaseLost(`another ${work} has taken over`)
    },
    async end(fields: Partial<Doc>): Promise<void> {
      await change({ ...fields, leaseToken: null, leaseEndsAt: new Date(0) })
    },
  }
}

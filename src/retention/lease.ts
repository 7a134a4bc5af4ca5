import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import { newId } from '../security/ids.ts'
import { openRecord, type RetentionRecord } from './record.ts'

type LeaseDeps = Pick<Models, 'RetentionRecord'> & { now(): Date }

/**
 * How long a lease lasts after being taken or renewed. Before and after each batch, `Pace` renews the lease if 15 s
 * have passed since it was last renewed (pace.ts). The remaining 45 s are enough for either the longest batch or the
 * longest rest. The longest batch takes 36 s, because it makes nine calls of up to 4 s each. The longest rest takes
 * 10 s. If a run dies, its lease ends within a minute.
 */
const leaseMs = 60_000
/** The longest lease that another process can hold whose clock is ahead. */
const maxLeaseMs = 2 * leaseMs

/** Whether a run holds the lease. An end too far in the future is no lease, or nothing would ever be cleaned again. */
export const isLeased = ({ leaseEndsAt }: Pick<RetentionRecord, 'leaseEndsAt'>, now: Date): boolean =>
  leaseEndsAt > now && leaseEndsAt.getTime() <= now.getTime() + maxLeaseMs

/** The fields of the record that can be changed in the same write as the lease. */
type LeaseChange = Partial<Pick<RetentionRecord, 'completedFor' | 'pass'>>

/** The right to clean up, which only one run can hold at a time. */
export interface Lease {
  record: RetentionRecord
  /** Throws if this lease has ended and another run has taken a new lease. */
  renew(change: LeaseChange): Promise<void>
  end(change: LeaseChange): Promise<void>
}

/** Takes the lease, or returns null if another run holds it. */
export async function takeLease(deps: LeaseDeps): Promise<Lease | null> {
  await openRecord(deps)
  const records = nativeCollection(deps.RetentionRecord)
  const token = newId()
  const after = (ms: number) => new Date(deps.now().getTime() + ms)
  const endsAt = () => after(leaseMs)
  const record = await records.findOneAndUpdate(
    { _id: 'nightly', leaseEndsAt: { $not: { $gt: after(0), $lte: after(maxLeaseMs) } } },
    { $set: { token, leaseEndsAt: endsAt() } },
    { returnDocument: 'after' },
  )
  if (record === null) return null
  return {
    record,
    async renew(change) {
      const held = await records.updateOne({ _id: 'nightly', token }, { $set: { ...change, leaseEndsAt: endsAt() } })
      if (held.matchedCount === 0) throw new Error('another clean-up has taken over')
    },
    async end(change) {
      await records.updateOne({ _id: 'nightly', token }, { $set: { ...change, token: null, leaseEndsAt: new Date(0) } })
    },
  }
}

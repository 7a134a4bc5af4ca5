import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import { newId } from '../security/ids.ts'
import { openRecord, type RetentionRecord } from './record.ts'

type LeaseDeps = Pick<Models, 'RetentionRecord'> & { now(): Date }

/**
 * `Pace` checks the lease before and after each batch and renews it after 15 s (pace.ts). The remaining 45 s are longer
 * than the nine calls of the longest batch, 4 s each, and longer than the longest rest (10 s). The lease of a dead run
 * ends within a minute.
 */
const leaseMs = 60_000

/** Fields of the record that are written together with the lease. */
type LeaseChange = Partial<Pick<RetentionRecord, 'completedFor' | 'pass'>>

/** The right to clean up, held by one run at a time. */
export interface Lease {
  record: RetentionRecord
  /** Throws if another run has taken over because this lease had ended. */
  renew(change: LeaseChange): Promise<void>
  end(change: LeaseChange): Promise<void>
}

/** Returns null while another run holds the lease. */
export async function takeLease(deps: LeaseDeps): Promise<Lease | null> {
  await openRecord(deps)
  const records = nativeCollection(deps.RetentionRecord)
  const token = newId()
  const endsAt = () => new Date(deps.now().getTime() + leaseMs)
  const record = await records.findOneAndUpdate(
    { _id: 'nightly', leaseEndsAt: { $lte: deps.now() } },
    { $set: { token, leaseEndsAt: endsAt() } },
    { returnDocument: 'after' },
  )
  if (record === null) return null
  return {
    record,
    async renew(change) {
      const held = await records.updateOne(
        { _id: 'nightly', token },
        { $set: { ...change, leaseEndsAt: endsAt() } },
      )
      if (held.matchedCount === 0) throw new Error('another clean-up has taken over')
    },
    async end(change) {
      await records.updateOne(
        { _id: 'nightly', token },
        { $set: { ...change, token: null, leaseEndsAt: new Date(0) } },
      )
    },
  }
}

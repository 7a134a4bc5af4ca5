import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import { newId } from '../security/ids.ts'
import { openRecord, type RetentionRecord } from './record.ts'

type LeaseDeps = Pick<Models, 'RetentionRecord'> & { now(): Date }

/**
 * It is looked at before and after each batch, and renewed when 15 s of it are gone (pace.ts): what is left is more than the nine calls of
 * the longest batch can take, 4 s each, or the longest rest (10 s). A dead run's is over in a minute.
 */
const leaseMs = 60_000

/** What the run has come to, written down with it. */
type Come = Partial<Pick<RetentionRecord, 'completedFor' | 'pass'>>

/** The right to clean up, held by one run at a time. */
export interface Lease {
  record: RetentionRecord
  /** Throws when another run took over: this one was away for too long. */
  renew(change: Come): Promise<void>
  /** Gives it back. */
  end(change: Come): Promise<void>
}

/** Null while another run is under way. */
export async function takeLease(deps: LeaseDeps): Promise<Lease | null> {
  await openRecord(deps)
  const records = nativeCollection(deps.RetentionRecord)
  const token = newId()
  const until = () => new Date(deps.now().getTime() + leaseMs)
  const record = await records.findOneAndUpdate(
    { _id: 'nightly', leaseEndsAt: { $lte: deps.now() } },
    { $set: { token, leaseEndsAt: until() } },
    { returnDocument: 'after' },
  )
  if (record === null) return null
  return {
    record,
    async renew(change) {
      const held = await records.updateOne(
        { _id: 'nightly', token },
        { $set: { ...change, leaseEndsAt: until() } },
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

import type { Model } from 'mongoose'
import { type Collection, nativeCollection } from '../mongo/collection.ts'
import { lastDue } from './night.ts'

/**
 * One clean-up of all businesses, which may take several runs. The progress of each business contains the id of the
 * last pass that finished the clean-up of this business.
 */
export interface Pass {
  id: string
  beganAt: Date
  /**
   * True if the pass has reached every business, but the clean-up of some of them failed. Later runs of this pass retry
   * only those businesses.
   */
  hasFaults: boolean
}

/** The state of the nightly clean-up, stored as a single document. */
export interface RetentionRecord {
  _id: 'nightly'
  /** The token of the run that holds the lease. */
  token: string | null
  leaseEndsAt: Date
  /** The last night whose clean-up has been completed. */
  completedFor: Date
  /** The unfinished pass, or null if the last pass has been completed. */
  pass: Pass | null
}

export const retentionRecords: Collection = {
  name: 'retention',
  fields: {
    _id: String,
    token: String,
    leaseEndsAt: Date,
    completedFor: Date,
    pass: { type: { _id: false, id: String, beganAt: Date, hasFaults: Boolean }, default: null },
  },
  indexes: [],
}

/**
 * Returns the record, and creates it if it does not exist yet. A new record states that the last clean-up has been
 * completed, so that a new service starts its first clean-up the following night and not during the day.
 */
export async function openRecord(deps: {
  RetentionRecord: Model<RetentionRecord>
  now(): Date
}): Promise<RetentionRecord> {
  const records = nativeCollection(deps.RetentionRecord)
  const found = await records.findOne({ _id: 'nightly' })
  if (found !== null) return found
  const record = await records.findOneAndUpdate(
    { _id: 'nightly' },
    {
      $setOnInsert: { token: null, leaseEndsAt: new Date(0), completedFor: lastDue(deps.now()), pass: null },
    },
    { upsert: true, returnDocument: 'after' },
  )
  if (record === null) throw new Error('the record of the clean-up was not made')
  return record
}

/** How far the clock of the process that completed a clean-up may be ahead. */
const maxSkewMs = 3_600_000

/**
 * Returns whether the clean-up that was due most recently has not been completed yet. A night in the future was never
 * completed.
 */
export const isOwed = ({ completedFor }: RetentionRecord, now: Date): boolean =>
  completedFor < lastDue(now) || completedFor.getTime() > now.getTime() + maxSkewMs

import type { Model } from 'mongoose'
import { type Collection, nativeCollection } from '../mongo/collection.ts'
import { lastDue } from './night.ts'

/** One way through all businesses, by as many runs as it takes. Each business says whether it was its turn (progress.ts). */
export interface Pass {
  id: string
  beganAt: Date
  /** It has been at every business, and some failed: it comes to those again. */
  hasFaults: boolean
}

/** Which night was cleaned last, and who is at it. There is one; how far it has come is each business's own (progress.ts). */
export interface RetentionRecord {
  _id: 'nightly'
  /** Of the run that is under way, and until when that is believed. */
  token: string | null
  leaseEndsAt: Date
  /** The night of the last run that came to its end. */
  completedFor: Date
  /** The pass that is not through yet. */
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

const nobody = new Date(0)

/** The record as it is. A service without one begins with its next night, so that its first clean-up is not in the middle of a day. */
export async function openRecord(deps: {
  RetentionRecord: Model<RetentionRecord>
  now(): Date
}): Promise<RetentionRecord> {
  const records = nativeCollection(deps.RetentionRecord)
  const found = await records.findOne({ _id: 'nightly' })
  if (found !== null) return found
  const record = await records.findOneAndUpdate(
    { _id: 'nightly' },
    { $setOnInsert: { token: null, leaseEndsAt: nobody, completedFor: lastDue(deps.now()), pass: null } },
    { upsert: true, returnDocument: 'after' },
  )
  if (record === null) throw new Error('the record of the clean-up was not made')
  return record
}

/** Whether the clean-up of the night that was last due has not come to its end. */
export const isOwed = ({ completedFor }: RetentionRecord, now: Date): boolean => completedFor < lastDue(now)

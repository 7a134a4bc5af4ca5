import { type Collection, pastMongoose } from '../collection.ts'
import type { Models } from '../collections.ts'
import { lastDue } from './night.ts'

/** How far the clean-up has come, and who is at it. There is one, and what is left to clean is what is still there. */
export interface RetentionRecord {
  _id: 'nightly'
  /** Of the run that is under way, and until when that is believed. */
  token: string | null
  leaseUntil: Date
  /** The night of the last run that came to its end. */
  completedFor: Date
  /** Sealed answers of what was made before this are gone. */
  answersUntil?: Date
  /** Attempts of live deliveries that were made before this are gone. */
  attemptsUntil?: Date
}

export const retentionRecords: Collection = {
  name: 'retention',
  fields: {
    _id: String,
    token: String,
    leaseUntil: Date,
    completedFor: Date,
    answersUntil: Date,
    attemptsUntil: Date,
  },
  indexes: [],
}

const nobody = new Date(0)

/** The record as it is. A service without one begins with its next night, so that its first clean-up is not in the middle of a day. */
export async function openRecord(
  deps: Pick<Models, 'RetentionRecord'> & { now(): Date },
): Promise<RetentionRecord> {
  const records = pastMongoose(deps.RetentionRecord)
  const found = await records.findOne({ _id: 'nightly' })
  if (found !== null) return found
  const record = await records.findOneAndUpdate(
    { _id: 'nightly' },
    { $setOnInsert: { token: null, leaseUntil: nobody, completedFor: lastDue(deps.now()) } },
    { upsert: true, returnDocument: 'after' },
  )
  if (record === null) throw new Error('the record of the clean-up was not made')
  return record
}

import type { Model } from 'mongoose'
import { rawCollection } from '../mongo/collection.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import * as field from '../mongo/fields.ts'
import { newId } from '../platform/ids.ts'
import { dayMs } from '../platform/time.ts'
import { longLeaseFields, takeLongLease } from '../work/lease.ts'

/** Mauritania is on UTC. At 02:30, there are hardly any payments. */
const hour = 2
const minute = 30

/** The pattern begins with the seconds. */
export const nightlySchedule = { pattern: `0 ${minute} ${hour} * * *`, tz: 'UTC' } as const

export function lastNightDue(now: Date): Date {
  const today = new Date(now)
  today.setUTCHours(hour, minute, 0, 0)
  return today <= now ? today : new Date(today.getTime() - dayMs)
}

const passFields = field.part({
  id: field.text,
  beganAt: field.date,
  /** Later runs of the pass retry only the businesses that failed. */
  hasFaults: field.flag,
})
export type CleanUpPass = field.ValueOfField<typeof passFields>

export const retentionRecords = declareCollection({
  name: 'retention',
  kept: 'forever, one document',
  fields: {
    ...longLeaseFields,
    _id: field.oneOf<'nightly'>(),
    completedFor: field.date,
    pass: field.orNull(passFields),
  },
  indexes: [],
})
export type RetentionRecord = Stored<typeof retentionRecords>

interface RecordDeps {
  RetentionRecord: Model<RetentionRecord>
  now(): Date
}

/** A new service doesn't clean up until the next night. */
export async function openRetention(deps: RecordDeps): Promise<RetentionRecord> {
  const records = rawCollection(deps.RetentionRecord)
  const found = await records.findOne({ _id: 'nightly' })
  if (found !== null) return found
  const completedFor = lastNightDue(deps.now())
  const record = await records.findOneAndUpdate(
    { _id: 'nightly' },
    { $setOnInsert: { leaseToken: null, leaseEndsAt: new Date(0), completedFor, pass: null } },
    { upsert: true, returnDocument: 'after' },
  )
  return record as RetentionRecord
}

const maxSkewMs = 3_600_000

/** A clean-up recorded for a future night can't have run yet. */
export const isCleanUpOwed = ({ completedFor }: RetentionRecord, now: Date): boolean =>
  completedFor < lastNightDue(now) || completedFor.getTime() > now.getTime() + maxSkewMs

/**
 * A pass may take over a day, or the last businesses might never be reached.
 * If only failed ones remain, the next night starts a new pass.
 */
export function startCleanUpPass({ pass }: RetentionRecord, now: Date): CleanUpPass {
  const continues = pass !== null && !(pass.hasFaults && pass.beganAt < lastNightDue(now))
  return continues ? pass : { id: newId(), beganAt: now, hasFaults: false }
}

export async function takeCleanUpLease(deps: RecordDeps) {
  await openRetention(deps)
  return takeLongLease(rawCollection(deps.RetentionRecord), { _id: 'nightly', work: 'clean-up' }, deps.now)
}

export const retentionProgress = declareCollection({
  name: 'retentionprogress',
  kept: 'forever, one document for each business',
  fields: {
    _id: field.text,
    pass: field.optional(field.text),
    /** By kind of data. Everything before this time has been cleaned up. */
    walked: field.optional(field.anything<Record<string, Date>>()),
  },
  indexes: [],
})
export type RetentionProgress = Stored<typeof retentionProgress>

export type CleanUpProgress = ReturnType<typeof trackProgress>

export function trackProgress(
  deps: { RetentionProgress: Model<RetentionProgress> },
  businessId: string,
  { walked = {} }: Pick<RetentionProgress, 'walked'>,
) {
  const noted: Record<string, Date> = {}
  const write = async (set: Partial<RetentionProgress>): Promise<void> => {
    // A run that lost its lease may still write, so never set progress back.
    const change = { $set: set, $max: noted }
    await rawCollection(deps.RetentionProgress).updateOne({ _id: businessId }, change, { upsert: true })
  }
  return {
    reached: (walk: string): Date | null => walked[walk] ?? null,
    note: (walk: string, at: Date): void => void (noted[`walked.${walk}`] = at),
    save: (): Promise<void> => write({}),
    end: (pass: string): Promise<void> => write({ pass }),
  }
}

import type { Model, mongo } from 'mongoose'
import { nativeCollection } from '../mongo/collection.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import { date, flag, type Of, oneOf, orNull, part, text } from '../mongo/fields.ts'
import { newId } from '../platform/ids.ts'
import { type Leasable, leasesOn } from '../work/lease.ts'

/** Clean-ups start at 02:30 UTC, when there are hardly any payments. Mauritania's local time is UTC all year round. */
const hour = 2
const minute = 30
const dayMs = 86_400_000

/** The time of the clean-up as a BullMQ schedule. The first field of the pattern contains the seconds. */
export const nightly = { pattern: `0 ${minute} ${hour} * * *`, tz: 'UTC' } as const

/** Returns the most recent time, at or before `now`, at which a clean-up was due. */
export function lastDue(now: Date): Date {
  const today = new Date(now)
  today.setUTCHours(hour, minute, 0, 0)
  return today <= now ? today : new Date(today.getTime() - dayMs)
}

/** One clean-up of all businesses, which may take several runs. */
const passFields = part({
  id: text,
  beganAt: date,
  /** Every business was reached, but some failed. Later runs of the pass retry only those. */
  hasFaults: flag,
})
export type Pass = Of<typeof passFields>

/** The state of the nightly clean-up, stored as a single document. */
export const retentionRecords = declareCollection({
  name: 'retention',
  kept: 'forever, one document',
  fields: {
    _id: oneOf<'nightly'>(),
    leaseToken: orNull(text),
    leaseEndsAt: date,
    completedFor: date,
    pass: orNull(passFields),
  },
  indexes: [],
})
export type RetentionRecord = Stored<typeof retentionRecords>

interface RecordDeps {
  RetentionRecord: Model<RetentionRecord>
  now(): Date
}

/**
 * Returns the record, and creates it if necessary. A new one says that the last night is done, so that a new service
 * starts its first clean-up at night.
 */
export async function openRecord(deps: RecordDeps): Promise<RetentionRecord> {
  const records = nativeCollection(deps.RetentionRecord)
  const found = await records.findOne({ _id: 'nightly' })
  if (found !== null) return found
  const record = await records.findOneAndUpdate(
    { _id: 'nightly' },
    {
      $setOnInsert: {
        leaseToken: null,
        leaseEndsAt: new Date(0),
        completedFor: lastDue(deps.now()),
        pass: null,
      },
    },
    { upsert: true, returnDocument: 'after' },
  )
  return record as RetentionRecord
}

/** How far the clock of the process that completed a clean-up may be ahead. */
const maxSkewMs = 3_600_000

/**
 * Returns whether the clean-up that was due most recently has not been completed yet. A night in the future was never
 * completed.
 */
export const isOwed = ({ completedFor }: RetentionRecord, now: Date): boolean =>
  completedFor < lastDue(now) || completedFor.getTime() > now.getTime() + maxSkewMs

/**
 * Returns the unfinished pass, or a new one. A pass that takes longer than a day continues the next night, or the last
 * businesses would never be reached. But if all that is left has failed, the next night starts a new pass.
 */
export function startPass({ pass }: RetentionRecord, now: Date): Pass {
  const continues = pass !== null && !(pass.hasFaults && pass.beganAt < lastDue(now))
  return continues ? pass : { id: newId(), beganAt: now, hasFaults: false }
}

/** `Pace` leaves at least 55 s. The longest page takes 48 s (12 calls of up to 4 s), the longest rest 10 s. */
const leaseMs = 60_000
/** The longest lease that another process can hold whose clock is ahead. */
const maxLeaseMs = 2 * leaseMs

/** Whether a run holds the lease. An end too far in the future is no lease, or nothing would ever be cleaned again. */
export const isLeased = ({ leaseEndsAt }: Pick<RetentionRecord, 'leaseEndsAt'>, now: Date): boolean =>
  leaseEndsAt > now && leaseEndsAt.getTime() <= now.getTime() + maxLeaseMs

/** Takes the lease, which only one run can hold at a time. Returns null if another run holds it. */
export async function takeLease(deps: RecordDeps) {
  await openRecord(deps)
  return takeLongLease(nativeCollection(deps.RetentionRecord), { _id: 'nightly', work: 'clean-up' }, deps.now)
}

/** A document with a lease that is renewed while its work runs. */
export interface LongLease extends Leasable {
  leaseEndsAt: Date
}

export class LeaseLost extends Error {}

/** Takes the lease of nightly work on its document. Returns null if another run holds it. */
export async function takeLongLease<Doc extends LongLease>(
  documents: mongo.Collection<Doc>,
  { _id, work }: { _id: string; work: string },
  now: () => Date,
  options: mongo.FindOneAndUpdateOptions = {},
) {
  const leases = leasesOn(documents, { field: 'leaseEndsAt', leaseMs }, now)
  const after = (ms: number) => new Date(now().getTime() + ms)
  const free = { _id, leaseEndsAt: { $not: { $gt: after(0), $lte: after(maxLeaseMs) } } } as mongo.Filter<Doc>
  const record = await leases.take(free, options)
  if (record === null) return null
  const change = (fields: object) => leases.change(record, { $set: fields as Doc })
  return {
    record,
    /** Changes the document with the lease. Throws if this lease has ended and another run has taken a new one. */
    async renew(fields: Partial<Doc>): Promise<void> {
      const held = await change({ ...fields, leaseEndsAt: leases.endsAt() })
      if (held === null) throw new LeaseLost(`another ${work} has taken over`)
    },
    async end(fields: Partial<Doc>): Promise<void> {
      await change({ ...fields, leaseToken: null, leaseEndsAt: new Date(0) })
    },
  }
}

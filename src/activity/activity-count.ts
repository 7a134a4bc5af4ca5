import type { Model, mongo } from 'mongoose'
import { type Collection, isOnlyDuplicates, nativeCollection } from '../mongo/collection.ts'
import type { ActivityEntry } from './activity-entry.ts'
import { hourMs, hourOf } from './activity-hour.ts'

/** When the entries of one hour were last counted, and when they must be counted next. */
export interface ActivityCount {
  /** The start of the hour. */
  _id: Date
  /** The time at which the last complete count began. The figures contain all entries stored before it. */
  countedAt: Date | null
  /**
   * The time of the next count, or the end of the lease while a worker counts. Null once all entries have been counted.
   */
  dueAt: Date | null
  removeAt: Date
}

export const activityCounts: Collection = {
  name: 'activitycounts',
  fields: { _id: Date, countedAt: Date, dueAt: Date, removeAt: Date },
  // Polls search this collection without an index, because it contains only about 800 small documents.
  indexes: [{ name: 'removal', key: { removeAt: 1 }, expireAfterSeconds: 0 }],
}

interface CountDeps {
  ActivityCount: Model<ActivityCount>
  now(): Date
}

/** The number of hours that are counted: 30 days, and the current hour. */
const countedHours = 30 * 24 + 1
const keptMs = 35 * 24 * hourMs
/**
 * A count reads up to 12 slices, each for at most 4 s (count-due.ts). If a worker dies, another one counts the hour
 * after the lease has ended.
 */
const leaseMs = 60_000
/** How old the figures of the current hour may become before they are counted again. */
const freshMs = 60_000
/** Counting the current hour may keep one MongoDB connection busy for at most a twentieth of the time. */
const restFactor = 20
/**
 * The last count of an hour begins this long after the hour has ended. Until then, entries of the hour may be arriving
 * from processes whose clocks differ. A later entry makes the hour due again (note-events.ts).
 */
const settlingMs = 120_000

/**
 * Adds the current hour and all hours before it that have never been counted, for example because no worker was
 * running. The current hour is added last, so its presence proves that no hour is missing. Hours before the first entry
 * need no count, so the figures of a new installation are complete at once.
 */
export async function addHours(deps: CountDeps & { ActivityEntry: Model<ActivityEntry> }): Promise<void> {
  const now = deps.now()
  const counts = nativeCollection(deps.ActivityCount)
  const current = hourOf(now)
  if ((await counts.findOne({ _id: new Date(current) }, { projection: { _id: 1 } })) !== null) return
  const first = await nativeCollection(deps.ActivityEntry).findOne({}, { hint: 'removal', sort: { at: 1 } })
  const emptyBefore = Math.min(first?.at.getTime() ?? current, now.getTime() - settlingMs)
  const known = new Set((await counts.find().project({ _id: 1 }).toArray()).map(({ _id }) => _id.getTime()))
  const hours = Array.from({ length: countedHours - 1 }, (_, index) => current - (countedHours - 1 - index) * hourMs)
  const countOf = (hour: number): ActivityCount => ({
    _id: new Date(hour),
    ...(hour + hourMs <= emptyBefore ? { countedAt: now, dueAt: null } : { countedAt: null, dueAt: new Date(hour) }),
    removeAt: removalOf(hour),
  })
  const missing = hours.filter((hour) => !known.has(hour))
  if (missing.length > 0) await insertNew(counts, missing.map(countOf))
  await insertNew(counts, [countOf(current)])
}

/** Another worker may insert the same documents. */
async function insertNew(counts: mongo.Collection<ActivityCount>, documents: ActivityCount[]): Promise<void> {
  try {
    await counts.insertMany(documents, { ordered: false })
  } catch (error) {
    if (!isOnlyDuplicates(error)) throw error
  }
}

const removalOf = (hour: number): Date => new Date(hour + keptMs)

/** An hour that this worker may count. */
export interface ClaimedHour {
  hour: number
  /** The time at which the count begins. */
  countedAt: Date
  leaseEndsAt: Date
}

/** Claims the latest hour that is due, or returns null if no hour is due. */
export async function claimHour({ ActivityCount, now }: CountDeps): Promise<ClaimedHour | null> {
  const countedAt = now()
  const leaseEndsAt = new Date(countedAt.getTime() + leaseMs)
  const claimed = await nativeCollection(ActivityCount).findOneAndUpdate(
    { dueAt: { $lte: countedAt } },
    { $set: { dueAt: leaseEndsAt } },
    { sort: { _id: -1 } },
  )
  return claimed && { hour: claimed._id.getTime(), countedAt, leaseEndsAt }
}

/**
 * Records that an hour has been counted. If the hour has become due in the meantime because of a late entry, or if
 * another worker has taken over, nothing changes. The hour is then counted again.
 */
export async function finishHour(
  { ActivityCount }: CountDeps,
  { hour, countedAt, leaseEndsAt }: ClaimedHour,
  tookMs: number,
): Promise<void> {
  const lastAt = hour + hourMs + settlingMs
  const nextAt = countedAt.getTime() + Math.max(freshMs, restFactor * tookMs)
  const dueAt = countedAt.getTime() >= lastAt ? null : new Date(Math.min(nextAt, lastAt))
  await nativeCollection(ActivityCount).updateOne(
    { _id: new Date(hour), dueAt: leaseEndsAt },
    { $set: { countedAt, dueAt } },
  )
}

/**
 * Makes hours due, because entries have been added to them that the last count may have missed. Adds hours that are
 * missing, so that `addHours` does not take them for empty ones.
 */
export async function countAgain({ ActivityCount, now }: CountDeps, hours: Iterable<number>): Promise<void> {
  const dueAt = now()
  await nativeCollection(ActivityCount).bulkWrite(
    [...hours].map((hour) => ({
      updateOne: {
        filter: { _id: new Date(hour) },
        update: { $set: { dueAt }, $setOnInsert: { countedAt: null, removeAt: removalOf(hour) } },
        upsert: true,
      },
    })),
    { ordered: false },
  )
}

import type { Model } from 'mongoose'
import type { Collection } from '../mongo/collection.ts'

declare module '../platform/deps.ts' {
  interface Models {
    ListCheckpoints: Model<ListCheckpoints>
  }
}

/** `count` items were created between the list's first checkpoint and `at` (Unix ms). */
export interface Checkpoint {
  at: number
  count: number
}

/**
 * The settled checkpoints of one list, so that its first page is fast even after a restart. MongoDB removes them after
 * a week, so an item inserted hours late doesn't stay missing from the total.
 */
export interface ListCheckpoints {
  /** The list's key (counts.ts). */
  _id: string
  checkpoints: Checkpoint[]
  /** Unix ms of the last checkpoint. */
  through: number
  countedAt: Date
}

export const listCheckpoints: Collection = {
  name: 'listcheckpoints',
  fields: { _id: String, checkpoints: [{ _id: false, at: Number, count: Number }], through: Number, countedAt: Date },
  indexes: [{ name: 'removal', key: { countedAt: 1 }, expireAfterSeconds: 7 * 86_400 }],
}

/**
 * Items between checkpoints. MongoDB counts that many index keys in about 1 ms; a million documents need 500
 * checkpoints.
 */
export const stride = 2_000

/** Across all lists: enough for 500 million documents, in about 15 MB. */
export const maxCheckpoints = 250_000

/**
 * Assumed limit from an item's creation time to its insertion: many times a request (8 s), a MongoDB command (5 s) and
 * clock skew (1 s) together.
 */
const maxDelayMs = 300_000

/** Everything created before this is in MongoDB, unless a freeze of minutes delayed an insert. */
export const writtenBefore = (now: Date): Date => new Date(now.getTime() - maxDelayMs)

/**
 * Younger checkpoints are recounted: a frozen process may insert late when it resumes, rarely after more than an hour.
 */
const unsettledMs = 3_600_000

/** The checkpoints that stay valid. Items created before `keptFrom` may have been removed; null means none are. */
export const settled = (checkpoints: readonly Checkpoint[], keptFrom: Date | null, now: Date): Checkpoint[] =>
  checkpoints.filter(({ at }) => at >= (keptFrom?.getTime() ?? 0) && at <= now.getTime() - unsettledMs)

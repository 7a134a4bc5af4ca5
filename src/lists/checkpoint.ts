import { declareCollection, type Stored } from '../mongo/declare.ts'
import { date, list, type Of, part, text, whole } from '../mongo/fields.ts'

/** `count` items were created between the list's first checkpoint and `at`, in Unix ms. */
const checkpointFields = part({ at: whole, count: whole })
export type Checkpoint = Of<typeof checkpointFields>

/**
 * One list's settled checkpoints, stored so that its first page is fast even after a restart. MongoDB removes them
 * after a week; otherwise an item inserted hours late would be missing from the total for ever.
 */
export const listCheckpoints = declareCollection({
  name: 'listcheckpoints',
  kept: 'until it expires after a week',
  fields: {
    /** The list's key (counts.ts). */
    _id: text,
    checkpoints: list(checkpointFields),
    /** The time of the last checkpoint, in Unix ms. */
    through: whole,
    countedAt: date,
  },
  indexes: [{ name: 'removal', key: { countedAt: 1 }, expireAfterSeconds: 7 * 86_400 }],
})
export type ListCheckpoints = Stored<typeof listCheckpoints>

/** How many items lie between two checkpoints. MongoDB counts as many index keys in about 1 ms. */
export const itemsPerCheckpoint = 2_000

/** Limits the checkpoints of all lists together. These cover 500 million documents in about 15 MB. */
export const maxCheckpoints = 250_000

/**
 * The longest assumed delay between an item's creation time and its insertion. It's many times the limits for a request
 * (8 s), a MongoDB command (5 s) and clock skew (1 s) together.
 */
const maxDelayMs = 300_000

/** Everything created before this is in MongoDB, unless something was frozen for minutes and delayed an insert. */
export const writtenBefore = (now: Date): Date => new Date(now.getTime() - maxDelayMs)

/** Younger checkpoints are recounted: a frozen process may insert late, rarely after more than an hour. */
const unsettledMs = 3_600_000

/** Checkpoints that remain valid. Items created before `keptFrom` may be gone; if it's null, none are. */
export const settledCheckpoints = (
  checkpoints: readonly Checkpoint[],
  keptFrom: Date | null,
  now: Date,
): Checkpoint[] =>
  checkpoints.filter(({ at }) => at >= (keptFrom?.getTime() ?? 0) && at <= now.getTime() - unsettledMs)

import { collection, type Stored } from '../mongo/declare.ts'
import { date, list, type Of, part, text, whole } from '../mongo/fields.ts'

/**
 * A count checkpoint. `count` is the number of items created between the list's first checkpoint and `at`, which is in
 * Unix milliseconds.
 */
const checkpointFields = part({ at: whole, count: whole })
export type Checkpoint = Of<typeof checkpointFields>

/**
 * The settled checkpoints of one list, so that its first page is fast even right after a restart. MongoDB removes them
 * after a week, so that an item that was inserted hours late is not missing from the total for ever.
 */
export const listCheckpoints = collection({
  name: 'listcheckpoints',
  kept: 'until it expires after a week',
  fields: {
    /** The key of the list (countable.ts). */
    _id: text,
    checkpoints: list(checkpointFields),
    /** The time of the last one, in Unix milliseconds. */
    through: whole,
    countedAt: date,
  },
  indexes: [{ name: 'removal', key: { countedAt: 1 }, expireAfterSeconds: 7 * 86_400 }],
})
export type ListCheckpoints = Stored<typeof listCheckpoints>

/**
 * The number of items between two checkpoints. MongoDB counts this many index keys in about 1 ms. A million documents
 * need 500 checkpoints.
 */
export const stride = 2_000

/**
 * The maximum number of checkpoints across all lists. This many checkpoints cover 500 million documents and use about
 * 15 MB.
 */
export const maxCheckpoints = 250_000

/**
 * The longest delay assumed between an item's creation time and its insertion. This is many times the sum of the limits
 * for a request (8 s), a MongoDB command (5 s) and clock skew (1 s).
 */
const maxDelayMs = 300_000

/**
 * Returns the time up to which all created items have been written to MongoDB. The only exceptions are items whose
 * insert was delayed for minutes because a process or MongoDB was frozen.
 */
export const writtenBefore = (now: Date): Date => new Date(now.getTime() - maxDelayMs)

/**
 * Checkpoints younger than this are recounted, because a frozen process may insert items late when it resumes. A frozen
 * process rarely resumes after more than an hour.
 */
const unsettledMs = 3_600_000

/**
 * Returns the checkpoints that remain valid. Items created before `keptFrom` may have been removed. If `keptFrom` is
 * null, no items are removed.
 */
export const settled = (checkpoints: readonly Checkpoint[], keptFrom: Date | null, now: Date): Checkpoint[] =>
  checkpoints.filter(({ at }) => at >= (keptFrom?.getTime() ?? 0) && at <= now.getTime() - unsettledMs)

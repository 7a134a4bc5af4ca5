/**
 * A count checkpoint: how many items were created before `at` (ms since 1970), counted from the list's first
 * checkpoint.
 */
export interface Checkpoint {
  at: number
  count: number
}

/**
 * The items between two checkpoints. MongoDB counts this many index keys in about 1 ms. A million documents have 500
 * checkpoints.
 */
export const stride = 2_000

/** For all lists together: the checkpoints of 500 million documents, in about 15 MB. */
export const maxCheckpoints = 250_000

/** Many times the 8 s of a request, the 5 s of a MongoDB command, and the 1 s of clock skew. */
const maxDelayMs = 300_000

/** Every item created before this time is in MongoDB, unless a process or MongoDB was frozen during its insert. */
export const writtenBefore = (now: Date): Date => new Date(now.getTime() - maxDelayMs)

/** Younger checkpoints are counted again. A frozen process seldom continues after more than an hour. */
const unsettledMs = 3_600_000

/**
 * The checkpoints that stay valid. Items created before `keptFrom` may have been removed (null: nothing is removed).
 */
export const settled = (checkpoints: readonly Checkpoint[], keptFrom: Date | null, now: Date): Checkpoint[] =>
  checkpoints.filter(({ at }) => at >= (keptFrom?.getTime() ?? 0) && at <= now.getTime() - unsettledMs)

import type { Config } from '../config.ts'
import type { Models } from '../mongo/models.ts'
import type { Kind } from './counts.ts'
import type { Pace } from './pace.ts'
import type { Progress } from './progress.ts'

/** How long a deleted endpoint is kept, so that support staff find it. */
const deletedKeptMs = 48 * 3_600_000

export type CleaningDeps = Models & {
  now(): Date
  config: Pick<Config, 'sandboxRetentionMs' | 'liveDeliveryRetentionMs'>
}

/** The clean-up of one business. */
export interface Cleaning extends Models, ReturnType<typeof cutoffsOf> {
  now(): Date
  businessId: string
  progress: Progress
  /** If true, old data is only counted and not removed. */
  isDry: boolean
  pace: Pace
  count(kind: Kind, documents: number): void
}

/** Returns the times that decide which data is old, which is what was created before them. */
export function cutoffsOf({ config, now }: CleaningDeps) {
  const at = now().getTime()
  const { sandboxRetentionMs, liveDeliveryRetentionMs: keptMs } = config
  return {
    /** Test data that was created before this time is removed. */
    testsBefore: new Date(at - sandboxRetentionMs),
    /**
     * Live deliveries that were created before this time lose all attempts except the last one. Null if all attempts
     * are kept.
     */
    attemptsBefore: keptMs === null ? null : new Date(at - keptMs),
    /** Endpoints that were deleted before this time are removed. */
    deletedBefore: new Date(at - deletedKeptMs),
  }
}

import type { Config } from '../config.ts'
import type { Models } from '../mongo/models.ts'
import type { Kind } from './counts.ts'
import type { Pace } from './pace.ts'
import type { Progress } from './progress.ts'

/**
 * A retry may request a sealed first response as long as its claim exists. The claim is created before the document and
 * lasts for 24 h (idempotency/claim.ts). This period is twice as long, to allow for clock skew.
 */
const requestableMs = 48 * 3_600_000

export type CleaningDeps = Models & {
  now(): Date
  config: Pick<Config, 'sandboxRetentionMs' | 'liveDeliveryRetentionMs'>
}

/** Data that was created before these times is considered old. */
interface Cutoffs {
  /** The cutoff for removing test data. */
  testsBefore: Date
  /** The cutoff for removing attempts of live deliveries, or null if all attempts are kept. */
  attemptsBefore: Date | null
  /**
   * The cutoff for removing sealed first responses of products and endpoints. Deleted endpoints are also removed if
   * they were deleted before this time.
   */
  responsesBefore: Date
}

/** The clean-up of one business. */
export interface Cleaning extends Models, Cutoffs {
  now(): Date
  businessId: string
  progress: Progress
  /** If true, old data is only counted and not removed. */
  isDry: boolean
  pace: Pace
  count(kind: Kind, documents: number): void
}

/** Returns the configured cutoffs as of `deps.now()`. */
export function cutoffsOf({ config, now }: CleaningDeps): Cutoffs {
  const at = now().getTime()
  const { sandboxRetentionMs, liveDeliveryRetentionMs: keptMs } = config
  return {
    testsBefore: new Date(at - sandboxRetentionMs),
    attemptsBefore: keptMs === null ? null : new Date(at - keptMs),
    responsesBefore: new Date(at - requestableMs),
  }
}

import type { Config } from '../config.ts'
import type { Models } from '../mongo/models.ts'
import type { Kind } from './counts.ts'
import type { Pace } from './pace.ts'
import type { Progress } from './progress.ts'

/**
 * A retry may request a sealed first response while its claim exists. The claim is older than the created document and
 * exists for 24 h (idempotency/claim.ts). This is twice as long, for clock skew.
 */
const requestableMs = 48 * 3_600_000

export type CleaningDeps = Models & {
  now(): Date
  config: Pick<Config, 'sandboxRetentionMs' | 'liveDeliveryRetentionMs'>
}

/** Data that was created before these instants is old. */
interface Cutoffs {
  /** For the removal of test data. */
  testsBefore: Date
  /** For the removal of attempts from live deliveries. Null if these keep their attempts. */
  attemptsBefore: Date | null
  /**
   * For the removal of sealed first responses from products and endpoints. Also for endpoints, by when they were
   * deleted.
   */
  responsesBefore: Date
}

/** The clean-up of one business. */
export interface Cleaning extends Models, Cutoffs {
  now(): Date
  businessId: string
  progress: Progress
  /** Whether to count only, without removing anything. */
  isDry: boolean
  pace: Pace
  count(kind: Kind, documents: number): void
}

/** Returns the cutoffs at `deps.now()`, as configured. */
export function cutoffsOf({ config, now }: CleaningDeps): Cutoffs {
  const at = now().getTime()
  const { sandboxRetentionMs, liveDeliveryRetentionMs: keptMs } = config
  return {
    testsBefore: new Date(at - sandboxRetentionMs),
    attemptsBefore: keptMs === null ? null : new Date(at - keptMs),
    responsesBefore: new Date(at - requestableMs),
  }
}

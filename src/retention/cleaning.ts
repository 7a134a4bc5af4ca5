import type { Config } from '../config.ts'
import type { Models } from '../mongo/models.ts'
import type { Kind } from './counts.ts'
import type { Pace } from './pace.ts'
import type { Progress } from './progress.ts'

/**
 * How long a sealed first response may still be requested. Its claim is older than the created document, and lives for 24 h
 * (idempotency/claim.ts). Twice that, for clock skew.
 */
const requestableMs = 48 * 3_600_000

export type CleaningDeps = Models & {
  now(): Date
  config: Pick<Config, 'sandboxRetentionMs' | 'liveDeliveryRetentionMs'>
}

/** What is old: made before these instants. */
interface Spans {
  /** What test keys made goes. */
  testsBefore: Date
  /** Of live deliveries the attempts go; null: they stay. */
  attemptsBefore: Date | null
  /** Of products and endpoints the sealed first response goes; endpoints deleted before go themselves. */
  responsesBefore: Date
}

/** The clean-up of one business on its way. */
export interface Cleaning extends Models, Spans {
  now(): Date
  businessId: string
  progress: Progress
  /** Counts, and takes nothing away. */
  isDry: boolean
  pace: Pace
  count(kind: Kind, documents: number): void
}

/** What is old at `deps.now()`, as the configuration says. */
export function spansOf({ config, now }: CleaningDeps): Spans {
  const at = now().getTime()
  const { sandboxRetentionMs, liveDeliveryRetentionMs: keptMs } = config
  return {
    testsBefore: new Date(at - sandboxRetentionMs),
    attemptsBefore: keptMs === null ? null : new Date(at - keptMs),
    responsesBefore: new Date(at - requestableMs),
  }
}

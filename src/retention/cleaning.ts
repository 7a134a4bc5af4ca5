import type { Config } from '../config/config.ts'
import type { Models } from '../platform/deps.ts'
import type { Pace } from '../work/pace.ts'
import type { Progress } from './progress.ts'

/** How long a deleted endpoint is kept, so that support staff find it. */
const deletedKeptMs = 48 * 3_600_000

export type CleaningDeps = Models & {
  now(): Date
  config: Pick<Config, 'sandboxRetentionMs' | 'liveDeliveryRetentionMs' | 'intentLifetimeMs'>
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
  const { sandboxRetentionMs, liveDeliveryRetentionMs: keptMs, intentLifetimeMs } = config
  const testsBeforeMs = at - sandboxRetentionMs
  return {
    testsBefore: new Date(testsBeforeMs),
    /** A test intent that was paid later than this is kept. Its outcome was unknown for weeks. */
    paidBefore: new Date(testsBeforeMs + intentLifetimeMs),
    /** Live deliveries from before this time keep only their last attempt. Null if they keep all. */
    attemptsBefore: keptMs === null ? null : new Date(at - keptMs),
    /** By the time of the deletion. */
    endpointsBefore: new Date(at - deletedKeptMs),
  }
}

/**
 * What a clean-up removes, with its model. The log line and the metric use the same names. `attempts` are only a part
 * of documents that stay.
 */
export const modelOf = {
  deliveries: 'Delivery',
  events: 'LoggedEvent',
  intents: 'Intent',
  movements: 'WalletMovement',
  entries: 'LedgerEntry',
  orders: 'Order',
  products: 'Product',
  endpoints: 'Endpoint',
  attempts: 'Delivery',
} as const satisfies Record<string, keyof Models>
export type Kind = keyof typeof modelOf

/** Learns of removed documents, and of businesses whose clean-up has finished. */
export interface Watch {
  count(kind: Kind, documents: number): void
  done(): void
}

/** How many of each kind have been removed, and how many businesses are finished. */
export type Counts = Record<Kind | 'businesses', number>

/** Returns counts from zero, and a watch that updates them and notifies `also`. */
export function startCounts(also: Watch): { counts: Counts; watch: Watch } {
  const counts = Object.fromEntries(
    ['businesses', ...Object.keys(modelOf)].map((name) => [name, 0]),
  ) as Counts
  return {
    counts,
    watch: {
      count(kind, documents) {
        counts[kind] += documents
        also.count(kind, documents)
      },
      done() {
        counts.businesses += 1
        also.done()
      },
    },
  }
}

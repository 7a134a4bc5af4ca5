import type { Model } from 'mongoose'
import type { Config } from '../config/config.ts'
import { type Listed, readPage, type Walk } from '../mongo/walk.ts'
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
    /** Test data that was created before this time is removed. */
    testsBefore: new Date(testsBeforeMs),
    /** But not a test intent that was paid later than this, because its outcome was unknown for weeks. */
    paidBefore: new Date(testsBeforeMs + intentLifetimeMs),
    /**
     * Live deliveries that were created before this time lose all attempts except the last one. Null if all attempts
     * are kept.
     */
    attemptsBefore: keptMs === null ? null : new Date(at - keptMs),
    /** Endpoints that were deleted before this time are removed. */
    deletedBefore: new Date(at - deletedKeptMs),
  }
}

/**
 * The kinds of data that a clean-up removes. The log line and the metric use the same names. The last kind is only
 * a part of documents, which themselves are kept.
 */
export const kinds = [
  'deliveries',
  'events',
  'intents',
  'movements',
  'entries',
  'orders',
  'products',
  'endpoints',
  'attempts',
] as const
export type Kind = (typeof kinds)[number]

/**
 * Receives a notification whenever documents have been removed, and whenever the clean-up of a business has finished.
 */
export interface Watch {
  count(kind: Kind, documents: number): void
  done(): void
}

/** How many items of each kind have been removed, and for how many businesses the clean-up has finished. */
export type Counts = Record<Kind | 'businesses', number>

/**
 * Returns counts that start at zero, and a watch that updates these counts while the clean-up is running. The watch
 * also notifies `also`.
 */
export function startCounts(also: Watch): { counts: Counts; watch: Watch } {
  const counts = Object.fromEntries(['businesses', ...kinds].map((name) => [name, 0])) as Counts
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

/**
 * The limits of one batch. Removing 500 documents takes 20 to 150 ms, so other writes do not have to wait long. Smaller
 * batches remove less and delay other writes as much. MongoDB stops each call before the driver's timeout of 5 s is
 * reached, so no call keeps running after the driver has given up on it.
 */
export const batchLimits = { documents: 500, maxTimeMS: 4_000 } as const

/**
 * Reads documents in batches, starting with the oldest, and passes their ids to `act`. `act` must decide which of the
 * documents to change. The query does not select them, because MongoDB would then search until it had found a full
 * batch of documents to change, however long that took. The last two fields of the index must be the creation time and
 * the id.
 */
export async function eachPage<Doc extends Listed>(
  pace: Pace,
  model: Model<Doc>,
  walk: Walk,
  act: (ids: string[], lastCreatedAt: Date) => Promise<void>,
): Promise<void> {
  let last: Listed | null = null
  for (;;) {
    const page: Listed[] = await pace(async () => {
      const found = await readPage(model, walk, last, { ...batchLimits, projection: { createdAt: 1 } })
      const end = found.at(-1)
      const ids = found.map(({ _id }) => _id)
      if (end !== undefined) await act(ids, end.createdAt)
      return found
    })
    last = page.at(-1) ?? null
    if (last === null || page.length < batchLimits.documents) return
  }
}

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

/**
 * The kinds of data that a clean-up removes. The log line and the metric use the same names. The last two kinds are
 * only parts of documents, and the documents themselves are kept.
 */
export const kinds = [
  'deliveries',
  'intents',
  'movements',
  'orders',
  'products',
  'endpoints',
  'attempts',
  'responses',
] as const
export type Kind = (typeof kinds)[number]

/** Receives a notification whenever a clean-up has removed documents or has finished cleaning a business. */
export interface Watch {
  count(kind: Kind, documents: number): void
  done(): void
}

/** How many items of each kind a clean-up has removed, and how many businesses it has finished cleaning. */
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

/** The kinds of data that a clean-up removes, as in its log line and metric. The last two are parts of documents. */
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

/** Receives the progress of a clean-up: each removal, and each finished business. */
export interface Watch {
  count(kind: Kind, documents: number): void
  done(): void
}

/** The removals of one clean-up by kind, and the number of finished businesses. */
export type Counts = Record<Kind | 'businesses', number>

/**
 * Returns counts of zero and a watch that adds the progress of a clean-up to them. The watch also passes the progress
 * on to `also`.
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

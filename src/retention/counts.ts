/**
 * The kinds of data that a clean-up removes, as named in its log line and metric. The last two kinds are parts of
 * documents.
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

/** Receives the progress of a clean-up: each removal and each finished business. */
export interface Watch {
  count(kind: Kind, documents: number): void
  done(): void
}

/** The number of removals in a clean-up by kind, and the number of finished businesses. */
export type Counts = Record<Kind | 'businesses', number>

/**
 * Returns counts that start at zero, and a watch that updates them as the clean-up progresses. The watch also forwards
 * the progress to `also`.
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

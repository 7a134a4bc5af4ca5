/** What a clean-up deletes, as in its log line and its metric: documents, or for the last two kinds parts of documents. */
export const kinds = [
  'deliveries',
  'intents',
  'movements',
  'orders',
  'products',
  'endpoints',
  'attempts',
  'answers',
] as const
export type Kind = (typeof kinds)[number]

/** Receives the progress of a clean-up: what it deletes, and each finished business. */
export interface Watch {
  count(kind: Kind, documents: number): void
  done(): void
}

/** What one clean-up deleted, by kind, and the number of finished businesses. */
export type Counts = Record<Kind | 'businesses', number>

/** Starts to count. `watch` counts the progress of a clean-up and passes it on to `also`. */
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

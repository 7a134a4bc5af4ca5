/** What a clean-up takes away, as its log line and its metric name it: documents, or with the last two what documents lose. */
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

/** Who asked for a clean-up hears what it takes away, and of each business that it is through with. */
export interface Watch {
  count(kind: Kind, documents: number): void
  done(): void
}

/** What one clean-up took away, by kind, and how many businesses it is through with. */
export type Tally = Record<Kind | 'businesses', number>

/** Begins to count. `watch` hears of a clean-up, and hands on what it hears to `also`. */
export function startTally(also: Watch): { tally: Tally; watch: Watch } {
  const tally = Object.fromEntries(['businesses', ...kinds].map((name) => [name, 0])) as Tally
  return {
    tally,
    watch: {
      count(kind, documents) {
        tally[kind] += documents
        also.count(kind, documents)
      },
      done() {
        tally.businesses += 1
        also.done()
      },
    },
  }
}

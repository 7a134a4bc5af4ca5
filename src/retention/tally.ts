import { type Kind, kinds } from './cleaning.ts'
import type { Watch } from './run.ts'

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

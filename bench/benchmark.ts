import type { Bench } from './rounds.ts'
import type { Line } from './table.ts'

export interface Benchmark {
  /** What is compared with what, in one sentence. */
  says(bench: Bench): string
  /** About how long it takes on two idle cores, from its parts. */
  takesSeconds(bench: Bench): number
  /** Measures, and answers its lines of the table. @throws {Error} when something was lost, or cannot be measured */
  measure(bench: Bench): Promise<Line[]>
  /** The processes whose profiles are shown. */
  profiled: string[]
}

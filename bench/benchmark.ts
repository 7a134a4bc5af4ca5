import type { Bench } from './rounds.ts'
import type { Line } from './table.ts'

export interface Benchmark {
  /** Describes the comparison in one sentence. */
  describe(bench: Bench): string
  /** The estimated duration on two idle cores. */
  takesSeconds(bench: Bench): number
  /** Measures, and returns its lines of the table. @throws {Error} if something was lost, or cannot be measured */
  measure(bench: Bench): Promise<Line[]>
  /** The processes whose profiles are shown. */
  profiled: string[]
}

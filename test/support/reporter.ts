import { relative } from 'node:path'
import { type MochaOptions, type Runner, reporters, type Suite } from 'mocha'

/** How many of the slowest files to print. */
const SLOWEST = 8

/** Prints mocha's dots, then the slowest files, then one line with the totals for CI. */
export default class Figures extends reporters.Dot {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options)
    const began = new Map<Suite, number>()
    const tookMs = new Map<string, number>()
    runner.on('suite', (suite) => void began.set(suite, performance.now()))
    runner.on('suite end', (suite) => {
      if (!suite.parent?.root || suite.file === undefined) return
      const file = relative('.', suite.file)
      const ms = performance.now() - (began.get(suite) ?? 0)
      tookMs.set(file, (tookMs.get(file) ?? 0) + ms)
    })
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats
      const slowest = [...tookMs].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST)
      console.log(slowest.map(([file, ms]) => `  ${Math.round(ms / 1000)} s ${file}`).join('\n'))
      console.log(`${passes} passed, ${failures} failed${pending ? `, ${pending} skipped` : ''}`)
    })
  }
}

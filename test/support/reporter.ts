import { type MochaOptions, type Runner, reporters } from 'mocha'

/** Mocha's dots, and after them what CI reads: one line with the figures. */
export default class Figures extends reporters.Dot {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options)
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats
      console.log(`${passes} passed, ${failures} failed${pending ? `, ${pending} skipped` : ''}`)
    })
  }
}

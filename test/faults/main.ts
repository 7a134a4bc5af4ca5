// `npm run faults`: random traffic on real processes, with faults, and a checker that finds broken promises.
import { randomInt } from 'node:crypto'
import { constants } from 'node:os'
import { endWithParent } from '../../dev/end-with-parent.mjs'
import { readArguments } from './arguments.ts'
import { check } from './checker/check.ts'
import type { PlannedFault } from './plan/fault.ts'
import { printViolations, timeChecked } from './report.ts'
import { planOfRound, runRounds } from './rounds.ts'

endWithParent()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]))

// The children end with this process.
await run().then(
  (holds) => process.exit(holds ? 0 : 1),
  (error: Error) => {
    console.error(error.stack ?? error.message)
    process.exit(1)
  },
)

async function run(): Promise<boolean> {
  const command = readArguments(process.argv.slice(2), randomInt(1, 1_000_000))
  if (command.action === 'mutants') return (await import('./mutants/run.ts')).checkMutants(command.names)
  if (command.action === 'check') {
    const { violations, ...verdict } = await check(command.folder)
    printViolations(violations)
    console.log(timeChecked(verdict))
    return violations.length === 0
  }
  if (command.action === 'run') return runRounds(command.rounds, command.keep)
  for (const round of command.rounds) printPlan(planOfRound(round))
  return true
}

/** Prints one fault per line, with times in seconds. */
function printPlan(plan: readonly PlannedFault[]): void {
  const inSeconds = (ms: number): string => (ms / 1000).toFixed(1).padStart(6)
  for (const { atMs, forMs, what, target, ...more } of plan) {
    const details = Object.entries(more).map(([name, value]) => `${name} ${value}`)
    console.log([inSeconds(atMs), inSeconds(forMs), what.padEnd(18), target, ...details].join('  '))
  }
}

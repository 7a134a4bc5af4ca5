// `npm run faults`: random traffic on real processes, to which everything is done that can be done, and a checker that tells which promise broke.
import { randomInt } from 'node:crypto'
import { constants } from 'node:os'
import { endWithParent } from '../../dev/end-with-parent.mjs'
import { readArguments } from './arguments.ts'
import { check } from './checker/check.ts'
import { printPlan } from './plan/print.ts'
import { planOfRound, runRounds } from './rounds.ts'
import { timeJudged } from './time-judged.ts'
import { printViolations } from './violations.ts'

endWithParent()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]))
// Whatever way this process ends, those it started end with it.
await run().then((holds) => process.exit(holds ? 0 : 1), fail)

/** Answers whether all that was asked for held. */
async function run(): Promise<boolean> {
  const asked = readArguments(process.argv.slice(2), randomInt(1, 1_000_000))
  if (asked.do === 'mutants') return (await import('./mutants/run.ts')).checkMutants(asked.names)
  if (asked.do === 'check') {
    const { violations, ...verdict } = await check(asked.folder)
    printViolations(violations)
    console.log(timeJudged(verdict))
    return violations.length === 0
  }
  if (asked.do === 'run') return runRounds(asked.rounds, asked.keep)
  for (const round of asked.rounds) printPlan(planOfRound(round))
  return true
}

function fail(error: Error): never {
  console.error(error.stack ?? error.message)
  process.exit(1)
}

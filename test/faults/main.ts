// `npm run faults`: random traffic on real processes, with faults, and a checker that finds broken promises.
import { randomInt } from 'node:crypto'
import { rmSync } from 'node:fs'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { endWithParent } from '../../dev/end-with-parent.mjs'
import { buildWith } from '../support/edited-build/test-build.ts'
import { commandFor, readArguments } from './arguments.ts'
import { harnessEdits } from './build/edits.ts'
import { check } from './checker/check.ts'
import { type NumberedRound, planOf } from './plan/plan.ts'
import { figuresOf, neverReached, printViolations, shortfalls, timeChecked } from './report.ts'
import { type RoundResult, runRound } from './round/round.ts'

/** What two cores can handle while processes keep dying. With three members, each write costs three times as much. */
const perSecond = { 'one-member': 40, 'three-members': 30 } as const

endWithParent()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]))

process.exit((await run()) ? 0 : 1)

async function run(): Promise<boolean> {
  const command = readArguments(process.argv.slice(2), randomInt(1, 1_000_000))
  if (command.action === 'mutants') return (await import('./mutants/run.ts')).checkMutants(command.names)
  if (command.action === 'check') {
    const { violations, ...verdict } = await check(command.folder)
    printViolations(violations)
    console.log(timeChecked(verdict))
    return violations.length === 0
  }
  return runRounds(command.rounds, command.keep)
}

async function runRounds(rounds: readonly NumberedRound[], keep: boolean): Promise<boolean> {
  const build = buildWith(harnessEdits)
  const all: RoundResult[] = []
  for (const round of rounds) all.push(await runOne(round, build, keep))
  const never = neverReached(all)
  if (never.length > 0) console.log(`Points never reached: ${never.join(', ')}`)
  const seconds = rounds.reduce((sum, round) => sum + round.seconds, 0)
  const short = shortfalls(all, seconds)
  for (const message of short) console.log(`Not proved: ${message}`)
  return short.length === 0 && all.every(({ violations }) => violations.length === 0)
}

async function runOne(round: NumberedRound, build: string, keep: boolean): Promise<RoundResult> {
  const name = `${round.seed}-${round.round}`
  const folder = resolve('.data', 'faults', name)
  const beganAt = performance.now()
  console.log(`seed ${name}, ${round.servers}, ${round.seconds} s of traffic …`)
  const played = await runRound({
    seed: round.seed * 10_000 + round.round,
    build,
    servers: round.servers,
    trafficSeconds: round.seconds,
    perSecond: perSecond[round.servers],
    often: [],
    plan: planOf(round),
    // The quiet after a burst of faults lasts at least 8 s, so this must be less.
    maxLateMs: 6000,
    // Work may wait for a poll and for its last attempts. Anything that takes longer is stuck.
    quietSeconds: 240,
    folder,
  })
  printViolations(played.violations)
  const seconds = Math.round((performance.now() - beganAt) / 1000)
  console.log(`seed ${name}: ${figuresOf(folder, played)}; ${seconds} s`)
  if (played.violations.length > 0) console.log(`Evidence: ${folder}\nAgain:    ${commandFor(round)}`)
  else if (!keep) rmSync(folder, { recursive: true, force: true })
  return played
}

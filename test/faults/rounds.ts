import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildWith } from '../support/edited-build/test-build.ts'
import { commandFor, type NumberedRound } from './arguments.ts'
import { harnessEdits } from './build/harness-edits.ts'
import { points } from './build/points.ts'
import type { PlannedFault, Servers } from './plan/fault.ts'
import { planOf } from './plan/plan.ts'
import { figuresOf, neverReached, printViolations, shortfalls, timeNotProved } from './report.ts'
import { type RoundResult, runRound } from './round/round.ts'

/** Work may wait for a poll and for its last attempts. Work that takes longer than this is stuck. */
const quietSeconds = 240
/** The load that two cores can handle while processes keep dying. With three members, each write costs three times. */
const perSecond = { 'one-member': 40, 'three-members': 30 } as const satisfies Record<Servers, number>
/** Less than the quiet after a burst of faults, which lasts at least 8 s. */
const maxLateMs = 6000
export const planOfRound = (round: NumberedRound): PlannedFault[] => planOf({ ...round, points })

/** Runs the rounds and prints a line for each. Returns whether every promise held and the run proves it. */
export async function runRounds(rounds: readonly NumberedRound[], keep: boolean): Promise<boolean> {
  const build = buildWith(harnessEdits)
  const all: RoundResult[] = []
  for (const round of rounds) all.push(await runOne(round, build, keep))
  const never = neverReached(all)
  if (never.length > 0) console.log(`Points never reached: ${never.join(', ')}`)
  const seconds = rounds.reduce((sum, round) => sum + round.seconds, 0)
  const short = [...shortfalls(all), ...timeNotProved(all, seconds)]
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
    plan: planOfRound(round),
    maxLateMs,
    quietSeconds,
    folder,
  })
  printViolations(played.violations)
  console.log(`seed ${name}: ${figuresOf(folder, played)}; ${Math.round((performance.now() - beganAt) / 1000)} s`)
  if (played.violations.length > 0) console.log(`Evidence: ${folder}\nAgain:    ${commandFor(round)}`)
  else if (!keep) rmSync(folder, { recursive: true, force: true })
  return played
}

import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { commandFor, type RoundAsked } from './arguments.ts'
import { clock } from './build/clock.ts'
import { narrowStrides } from './build/narrow-strides.ts'
import { points } from './build/points.ts'
import { buildWith } from './build/test-build.ts'
import { figuresOf } from './figures.ts'
import type { Focus, PlannedFault } from './plan/fault.ts'
import { mannersOfAll } from './plan/manners.ts'
import { planOf } from './plan/plan.ts'
import { runRound } from './round/round.ts'
import { printViolations } from './violations.ts'

/** What was left under way may wait for a sweep and its last attempts; anything that takes longer is stuck. */
const QUIET_SECONDS = 120

/** Later it would reach far into the quiet after its burst, which is 8 s or more. */
const MOST_LATE_MS = 6000

/** The plan of a round of the service as it is. */
export const planOfRound = (asked: RoundAsked, focus: Focus | null): PlannedFault[] =>
  planOf({ ...asked, points, manners: mannersOfAll(), focus })

/** A whole number that is the round's own. */
export const seedOf = ({ seed, round }: Pick<RoundAsked, 'seed' | 'round'>): number => seed * 10_000 + round

/** Runs one after the other, prints a line for each, and answers whether every promise held in all of them. */
export async function runRounds(rounds: readonly RoundAsked[], keep: boolean): Promise<boolean> {
  const build = buildWith([...clock, ...narrowStrides, ...points.flatMap(({ edits }) => edits)])
  let holds = true
  for (const asked of rounds) {
    const name = `${asked.seed}-${asked.round}`
    const folder = resolve('.data', 'faults', name)
    const beganAt = performance.now()
    console.log(`seed ${name}, ${asked.servers}, ${asked.seconds} s of traffic …`)
    const round = await runRound({
      seed: seedOf(asked),
      build,
      servers: asked.servers,
      trafficSeconds: asked.seconds,
      often: [],
      plan: planOfRound(asked, null),
      mostLateMs: MOST_LATE_MS,
      quietSeconds: QUIET_SECONDS,
      folder,
    })
    console.log(
      `seed ${name}: ${figuresOf(folder, round)}; ${Math.round((performance.now() - beganAt) / 1000)} s`,
    )
    if (round.violations.length > 0) {
      holds = false
      printViolations(round.violations)
      console.log(`Evidence: ${folder}\nAgain:    ${commandFor(asked)}`)
    } else if (!keep) rmSync(folder, { recursive: true, force: true })
  }
  return holds
}

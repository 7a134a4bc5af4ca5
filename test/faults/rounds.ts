import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { commandFor, type NumberedRound } from './arguments.ts'
import { harnessEdits } from './build/harness-edits.ts'
import { points } from './build/points.ts'
import { buildWith } from './build/test-build.ts'
import { neverReached, shortfalls } from './carried-out.ts'
import { figuresOf } from './figures.ts'
import type { PlannedFault } from './plan/fault.ts'
import { mannersOfAll } from './plan/manners.ts'
import { planOf } from './plan/plan.ts'
import { type Played, runRound } from './round/round.ts'
import { notJudged, unproved } from './time-judged.ts'
import { printViolations } from './violations.ts'

/** What was left under way may wait for a poll and its last attempts; anything that takes longer is stuck. */
const QUIET_SECONDS = 120

/** What two cores bear beside four processes that die again and again. */
const PER_SECOND = 60

/** Later it would reach far into the quiet after its burst, which is 8 s or more. */
const MOST_LATE_MS = 6000

/** The plan of a round of the service as it is. */
export const planOfRound = (asked: NumberedRound): PlannedFault[] =>
  planOf({ ...asked, points, manners: mannersOfAll() })

/** A whole number that is the round's own. */
export const seedOf = ({ seed, round }: Pick<NumberedRound, 'seed' | 'round'>): number =>
  seed * 10_000 + round

/**
 * Runs one after the other, prints a line for each, and answers whether every promise held in all of them, and whether enough was done to them to
 * prove that.
 */
export async function runRounds(rounds: readonly NumberedRound[], keep: boolean): Promise<boolean> {
  const build = buildWith(harnessEdits)
  const all: Played[] = []
  for (const asked of rounds) all.push(await runOne(asked, build, keep))
  const never = neverReached(all)
  if (never.length > 0) console.log(`Points never reached: ${never.join(', ')}`)
  const short = [...shortfalls(all), ...unproved(all, secondsOf(rounds))]
  for (const says of short) console.log(`Not proved: ${says}`)
  for (const says of notJudged(all)) console.log(says)
  return short.length === 0 && all.every(({ violations }) => violations.length === 0)
}

const secondsOf = (rounds: readonly NumberedRound[]): number =>
  rounds.reduce((sum, { seconds }) => sum + seconds, 0)

async function runOne(asked: NumberedRound, build: string, keep: boolean): Promise<Played> {
  const name = `${asked.seed}-${asked.round}`
  const folder = resolve('.data', 'faults', name)
  const beganAt = performance.now()
  console.log(`seed ${name}, ${asked.servers}, ${asked.seconds} s of traffic …`)
  const played = await runRound({
    seed: seedOf(asked),
    build,
    servers: asked.servers,
    trafficSeconds: asked.seconds,
    perSecond: PER_SECOND,
    often: [],
    plan: planOfRound(asked),
    mostLateMs: MOST_LATE_MS,
    quietSeconds: QUIET_SECONDS,
    folder,
  })
  printViolations(played.violations)
  const seconds = Math.round((performance.now() - beganAt) / 1000)
  console.log(`seed ${name}: ${figuresOf(folder, played)}; ${seconds} s`)
  if (played.violations.length > 0) console.log(`Evidence: ${folder}\nAgain:    ${commandFor(asked)}`)
  else if (!keep) rmSync(folder, { recursive: true, force: true })
  return played
}

import { resolve } from 'node:path'
import { clock } from '../build/clock.ts'
import { narrowCodes } from '../build/narrow-codes.ts'
import { narrowStrides } from '../build/narrow-strides.ts'
import { points } from '../build/points.ts'
import { buildWith } from '../build/test-build.ts'
import { runRound } from '../round/round.ts'
import { controls } from './controls.ts'
import { mutants } from './mutants.ts'
import { planOf } from './plan.ts'
import type { Tried } from './run.ts'

/** Of the traffic, for the first round: any will do, and the same one tries the same again. */
const SEED = 4711
/** Four rounds share two cores. */
const PER_SECOND = 30
/** What is not quiet by then has been broken: the last attempt at a delivery is over in half of it. */
const QUIET_SECONDS = 75

/** Builds one mutant, runs its round, and tells its parent what the checker found. */
const [name, round] = process.argv.slice(2)
const mutant = [...controls, ...mutants].find((each) => each.name === name)
if (mutant === undefined) throw new Error(`There is no mutant ${name}`)
// Without its parent nobody hears what comes of it.
process.once('disconnect', () => process.exit(1))
const { focus } = mutant
const build = buildWith([
  ...mutant.edits,
  ...clock,
  ...narrowCodes,
  ...narrowStrides,
  ...points.flatMap((point) => point.edits),
])
const folder = resolve('.data/faults/mutants', mutant.name)
const { violations } = await runRound({
  seed: SEED + Number(round) - 1,
  build,
  // Two servers more beside each of four rounds are more than two cores bear.
  servers: 'standalone',
  trafficSeconds: focus.seconds,
  perSecond: PER_SECOND,
  often: focus.often,
  plan: planOf(focus),
  // However slow the machine is, all of it is done.
  mostLateMs: Number.POSITIVE_INFINITY,
  quietSeconds: QUIET_SECONDS,
  folder,
})
process.send?.({ violations, folder } satisfies Tried, () => process.exit())

import { buildWith } from '../../support/edited-build/test-build.ts'
import { fewCodes, harnessEdits } from '../build/harness-edits.ts'
import { runRound } from '../round/round.ts'
import { controls } from './controls.ts'
import { mutants } from './mutants.ts'
import { planOf } from './plan.ts'
import type { RoundOutcome } from './run.ts'
import { folderOf } from './run-test.ts'

/** Seed of the traffic in the first round. */
const SEED = 4711
/** Four rounds share two cores. */
const PER_SECOND = 30
/** Twice the time until the last attempt at a delivery. */
const QUIET_SECONDS = 75

// Builds one mutant, runs a round with it, and sends the violations to the parent process.
const [name, round] = process.argv.slice(2)
const mutant = [...controls, ...mutants].find((each) => each.name === name)
if (mutant === undefined) throw new Error(`There is no mutant ${name}`)
process.once('disconnect', () => process.exit(1))
const { focus } = mutant
const folder = folderOf(mutant)
const { violations } = await runRound({
  seed: SEED + Number(round) - 1,
  build: buildWith([...mutant.edits, ...harnessEdits, fewCodes]),
  // A set of three would need two more servers for each of four rounds.
  servers: 'one-member',
  trafficSeconds: focus.seconds,
  perSecond: PER_SECOND,
  often: focus.often,
  plan: planOf(focus),
  // All of the plan is carried out, however slow the machine is.
  maxLateMs: Number.POSITIVE_INFINITY,
  quietSeconds: QUIET_SECONDS,
  folder,
})
process.send?.({ violations, folder } satisfies RoundOutcome, () => process.exit())

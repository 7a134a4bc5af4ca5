// Builds one mutant, runs a round with it, and sends the violations to the parent process (run.ts).
import { buildWith } from '../../support/edited-build/test-build.ts'
import { fewCodes, harnessEdits } from '../build/edits.ts'
import { runRound } from '../round/round.ts'
import { planOf } from './focus.ts'
import type { Mutant } from './mutant.ts'
import { mutantsLike } from './mutants.ts'
import { folderOf, type RoundOutcome } from './run.ts'

const [name = '', round] = process.argv.slice(2)
const { edits, focus } = mutantsLike(name).find((each) => each.name === name) as Mutant
process.once('disconnect', () => process.exit(1))
const folder = folderOf(name)
const { violations } = await runRound({
  seed: 4710 + Number(round),
  build: buildWith([...edits, ...harnessEdits, fewCodes]),
  servers: 'one-member',
  trafficSeconds: focus.seconds,
  // Four rounds share two cores.
  perSecond: 30,
  often: focus.often,
  plan: planOf(focus),
  maxLateMs: Infinity,
  quietSeconds: 75,
  folder,
})
process.send?.({ violations, folder } satisfies RoundOutcome, () => process.exit())

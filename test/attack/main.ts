// `npm run attack`: sends hostile requests to every operation and page with every kind of key, and checks the
// responses, logs and documents.
import { constants } from 'node:os'
import { endWithParent } from '../../dev/end-with-parent.mjs'
import { built } from '../support/built.ts'
import { buildWith } from '../support/edited-build/test-build.ts'
import { type Options, readOptions } from './options.ts'
import { plants } from './planted/plants.ts'
import { attackOnce } from './round.ts'

endWithParent()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]))
process.exit((await run()) ? 0 : 1)

async function run(): Promise<boolean> {
  const options = readOptions()
  const { seed, requests, isPlanted, isProduction } = options
  const kind = `${isProduction ? ' --production' : ''}${isPlanted ? ' --planted' : ''}`
  console.log(`Seed ${seed}. To repeat: npm run attack -- --seed ${seed} --requests ${requests}${kind}`)
  return isPlanted ? findPlanted(options) : attackService(options)
}

async function attackService(options: Options): Promise<boolean> {
  const { violations, summary } = await attackOnce(built(), options, null)
  for (const line of violations.lines()) console.log(line)
  console.log(`\n${summary}, seed ${options.seed}: ${violations.count()} violations`)
  return violations.count() === 0
}

async function findPlanted(options: Options): Promise<boolean> {
  const { checks } = options
  const chosen = plants.filter(({ foundBy }) => checks.length === 0 || checks.includes(foundBy))
  if (chosen.length === 0) throw new Error(`No bug is planted for ${options.checks.join(', ')}`)
  let missed = 0
  for (const plant of chosen) {
    const { bug, edits, foundBy } = plant
    const { violations } = await attackOnce(buildWith(edits), options, plant)
    const isFound = violations.checks().includes(foundBy)
    if (!isFound) missed += 1
    console.log(`${isFound ? 'found ' : 'MISSED'}  ${foundBy}: ${bug} (${violations.checks().join(', ')})`)
  }
  console.log(`\n${chosen.length - missed} of ${chosen.length} planted bugs found, seed ${options.seed}`)
  return missed === 0
}

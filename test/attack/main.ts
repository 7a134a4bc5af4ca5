// `npm run attack`: sends hostile requests to every operation and page with every kind of key, and checks responses, logs and documents.
import { constants } from 'node:os'
import { endWithParent } from '../../dev/end-with-parent.mjs'
import { built } from '../support/built.ts'
import { buildWith } from '../support/edited-build/test-build.ts'
import { printTable } from '../support/table.ts'
import { type Asked, readArguments } from './arguments.ts'
import { plants } from './planted/plants.ts'
import { attackOnce } from './round.ts'

endWithParent()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]))
await run().then(
  (isGood) => process.exit(isGood ? 0 : 1),
  (error: unknown) => {
    console.error(error)
    process.exit(1)
  },
)

async function run(): Promise<boolean> {
  const asked = readArguments()
  const { seed, requests, isPlanted, isProduction } = asked
  const kind = `${isProduction ? ' --production' : ''}${isPlanted ? ' --planted' : ''}`
  console.log(
    `Seed ${seed}: the same again by npm run attack -- --seed ${seed} --requests ${requests}${kind}`,
  )
  return isPlanted ? findPlanted(asked) : attackService(asked)
}

async function attackService(asked: Asked): Promise<boolean> {
  const { tally, violations, says } = await attackOnce(built(), asked, null)
  printTable(tally.rows())
  for (const line of violations.lines()) console.log(line)
  console.log(`\n${says}, seed ${asked.seed}: ${violations.count()} violations`)
  return violations.count() === 0
}

/** Returns whether each planted bug was found by its oracle. */
async function findPlanted(asked: Asked): Promise<boolean> {
  const chosen = plants.filter(({ foundBy }) => asked.oracles.length === 0 || asked.oracles.includes(foundBy))
  if (chosen.length === 0) throw new Error(`No bug is planted for ${asked.oracles.join(', ')}`)
  let missed = 0
  for (const plant of chosen) {
    const { bug, edits, foundBy } = plant
    const { violations } = await attackOnce(buildWith(edits), asked, plant)
    const isFound = violations.oracles().includes(foundBy)
    if (!isFound) missed += 1
    console.log(`${isFound ? 'found ' : 'MISSED'}  ${foundBy}: ${bug} (${violations.oracles().join(', ')})`)
  }
  console.log(`\n${chosen.length - missed} of ${chosen.length} planted bugs found, seed ${asked.seed}`)
  return missed === 0
}

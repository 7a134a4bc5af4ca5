import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Violation } from '../evidence/evidence.ts'
import { controlOf, controls } from './controls.ts'
import type { Mutant } from './mutant.ts'
import { mutants, quickChoice } from './mutants.ts'
import { folderOf, runTest } from './run-test.ts'

/** The result of one round (try-one.ts). */
export interface RoundOutcome {
  violations: Violation[]
  /** The folder with the evidence. */
  folder: string
}

/** Some bugs show only if two things happen at the same time. They get a second round with another seed. */
const maxRounds = 2

/** A round waits more than it computes, so two cores can run four rounds, each with its own servers. */
const concurrency = 4

/**
 * Checks the checker: each chosen bug must be found in a short round of its own, and control rounds must be clean. No
 * names mean the quick choice, and `all` means every bug. Prints a line for each round. Returns whether every result is
 * as expected.
 */
export async function checkMutants(names: readonly string[]): Promise<boolean> {
  const chosen = chooseMutants(names)
  // Rounds with faults take longest, so they start first.
  const queue = chosen.toSorted((one, other) => Number(isDisturbed(other)) - Number(isDisturbed(one)))
  let failed = 0
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) if (!(await isCaught(next))) failed += 1
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  console.log(`${chosen.length - failed} of ${chosen.length} as expected`)
  return failed === 0
}

const isDisturbed = ({ focus }: Mutant): boolean => focus.points.length + focus.faults.length > 0

function chooseMutants(names: readonly string[]): Mutant[] {
  if (names.includes('all')) return [...controls, ...mutants]
  if (names.length === 0) return [...controls, ...mutants.filter(({ name }) => quickChoice.includes(name))]
  const all = [...controls, ...mutants]
  const named = names.map((name) => {
    const found = all.find((each) => each.name === name)
    if (found === undefined)
      throw new Error(`There is no mutant ${name}. There are: ${all.map((each) => each.name).join(', ')}`)
    return found
  })
  // A violation proves nothing about a mutant if the control has it too.
  return [...new Set([...named.map(({ focus }) => controlOf(focus)), ...named])]
}

async function isCaught(mutant: Mutant): Promise<boolean> {
  const rounds = controls.includes(mutant) ? 1 : maxRounds
  for (let round = 1; ; round += 1) {
    const startedAt = performance.now()
    const test = mutant.caughtBy.find((name) => name.endsWith('.test.ts'))
    const { isRight, message } =
      test === undefined ? outcomeOf(mutant, await runInProcess(mutant.name, round)) : await runTest(mutant, test)
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const isLast = isRight || round === rounds
    const verdict = isRight ? 'ok  ' : isLast ? 'FAIL' : 'anew'
    console.log(`${verdict} ${mutant.name.padEnd(24)} ${String(seconds).padStart(4)} s  ${message}`)
    if (isRight) rmSync(folderOf(mutant), { recursive: true, force: true })
    if (isLast) return isRight
  }
}

/** A control must be clean. A mutant must break one of the promises that its bug breaks. */
function outcomeOf(mutant: Mutant, outcome: RoundOutcome | null): { isRight: boolean; message: string } {
  if (outcome === null) return { isRight: false, message: 'the round crashed' }
  const { violations, folder } = outcome
  const counts = [...Map.groupBy(violations, ({ promise }) => promise)]
    .map(([promise, own]) => `${promise} ${own.length}`)
    .join(', ')
  if (controls.includes(mutant))
    return violations.length === 0
      ? { isRight: true, message: 'clean, and nothing is planted' }
      : { isRight: false, message: `${counts}, and nothing is planted; see ${folder}` }
  const isRight = violations.some(({ promise }) => mutant.caughtBy.includes(promise))
  return { isRight, message: isRight ? counts : `${counts || 'nothing found'}: ${mutant.bug} See ${folder}` }
}

/** Runs a round in its own process, so that rounds do not delay each other. Returns null if the process crashed. */
async function runInProcess(name: string, round: number): Promise<RoundOutcome | null> {
  const child = fork(join(import.meta.dirname, 'try-one.ts'), [name, String(round)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  let outcome: RoundOutcome | null = null
  child.once('message', (message) => {
    outcome = message as RoundOutcome
  })
  await once(child, 'exit')
  return outcome
}

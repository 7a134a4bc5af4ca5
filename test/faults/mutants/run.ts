import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Violation } from '../evidence/evidence.ts'
import { controlOf, controls } from './controls.ts'
import type { Mutant } from './mutant.ts'
import { mutants } from './mutants.ts'

/** What a round of one mutant came to (try-one.ts). */
export interface Tried {
  violations: Violation[]
  /** Where its evidence is. */
  folder: string
}

/** Some bugs show only where something happens at the same moment, which on another day it does not: they get another seed. */
const mostRounds = 2

/** A round waits more than it computes: four fit side by side on two cores, each with servers of its own. */
const atOnce = 4

/**
 * Has the checker find the planted bugs that differ most, or `all`, or those named, each in a short round of its own; and none in the service as it is,
 * in a round that is disturbed in the same way. What is not found is looked for in a second round. Prints a line for each round. True when all
 * were caught and the controls were clean.
 * @throws {Error} for a name that is none
 */
export async function checkMutants(names: readonly string[]): Promise<boolean> {
  const asked = chosen(names)
  // What is disturbed takes longest: it goes first, so that no one of these is waited for alone in the end.
  const waiting = [...asked.filter(isDisturbed), ...asked.filter((each) => !isDisturbed(each))]
  let survived = 0
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      if (!(await isCaught(next))) survived += 1
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  console.log(`${asked.length - survived} of ${asked.length} as they should be`)
  return survived === 0
}

const isDisturbed = ({ focus }: Mutant): boolean => focus.points.length + focus.faults.length > 0

function chosen(names: readonly string[]): Mutant[] {
  const all = [...controls, ...mutants]
  if (names.length === 0) return all.filter(({ isOneMore }) => isOneMore !== true)
  if (names.includes('all')) return all
  const named = names.map((name) => {
    const found = all.find((each) => each.name === name)
    if (found === undefined)
      throw new Error(`There is no mutant ${name}. There are: ${all.map((each) => each.name).join(', ')}`)
    return found
  })
  // What is found where nothing is planted proves nothing of a mutant.
  return [...new Set([...named.map(({ focus }) => controlOf(focus)), ...named])]
}

async function isCaught(mutant: Mutant): Promise<boolean> {
  const rounds = controls.includes(mutant) ? 1 : mostRounds
  for (let round = 1; ; round += 1) {
    const begunAt = performance.now()
    const tried = await tryInProcess(mutant.name, round)
    const seconds = Math.round((performance.now() - begunAt) / 1000)
    const { says, isRight } = judged(mutant, tried)
    const isLast = isRight || round === rounds
    const verdict = isRight ? 'ok  ' : isLast ? 'FAIL' : 'anew'
    console.log(`${verdict} ${mutant.name.padEnd(24)} ${String(seconds).padStart(4)} s  ${says}`)
    if (isRight && tried !== null) rmSync(tried.folder, { recursive: true, force: true })
    if (isLast) return isRight
  }
}

/** A control must be clean; of a mutant a promise must be broken that its bug breaks. */
function judged(mutant: Mutant, tried: Tried | null): { isRight: boolean; says: string } {
  if (tried === null) return { isRight: false, says: 'its round came to no end' }
  const { violations, folder } = tried
  const told = countsOf(violations)
  if (controls.includes(mutant))
    return violations.length === 0
      ? { isRight: true, says: 'clean, as it is no mutant' }
      : { isRight: false, says: `${told}, and nothing is planted; see ${folder}` }
  const isRight = violations.some(({ promise }) => mutant.caughtBy.includes(promise))
  return { isRight, says: isRight ? told : `${told || 'nothing found'}: ${mutant.says} See ${folder}` }
}

function countsOf(violations: readonly Violation[]): string {
  const counts = new Map<string, number>()
  for (const { promise } of violations) counts.set(promise, (counts.get(promise) ?? 0) + 1)
  return [...counts].map(([promise, count]) => `${promise} ${count}`).join(', ')
}

/** A process of its own: what one round computes must not hold up the receivers and clients of the other. Null where it died. */
async function tryInProcess(name: string, round: number): Promise<Tried | null> {
  const child = fork(join(import.meta.dirname, 'try-one.ts'), [name, String(round)], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  let tried: Tried | null = null
  child.once('message', (message) => {
    tried = message as Tried
  })
  await once(child, 'exit')
  return tried
}

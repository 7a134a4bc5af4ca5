import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { killOnExit } from '../../support/child.ts'
import { editedFiles } from '../../support/edited-build/edit.ts'
import type { Violation } from '../evidence/evidence.ts'
import type { Mutant } from './mutant.ts'
import { chooseMutants, controls } from './mutants.ts'

export type RoundOutcome = { violations: Violation[]; folder: string }
type Finding = { isRight: boolean; message: string }
export const folderOf = (name: string) => resolve('.data/faults/mutants', name.replaceAll(/\W+/g, '-'))

/** Some bugs show only if two things happen at the same time, so they get a second round with another seed. */
const maxRounds = 2
/** A round waits more than it computes, so two cores can run four rounds, each with its own servers. */
const concurrency = 4

export async function checkMutants(names: readonly string[]): Promise<boolean> {
  const chosen = chooseMutants(names)
  const isDisturbed = ({ focus }: Mutant): boolean => focus.points.length + focus.faults.length > 0
  const queue = chosen.toSorted((one, other) => Number(isDisturbed(other)) - Number(isDisturbed(one)))
  let failed = 0
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) if (!(await isCaught(next))) failed += 1
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  console.log(`${chosen.length - failed} of ${chosen.length} as expected`)
  return failed === 0
}

async function isCaught(mutant: Mutant): Promise<boolean> {
  const rounds = controls.includes(mutant) ? 1 : maxRounds
  const test = mutant.caughtBy.find((name) => name.endsWith('.test.ts'))
  for (let round = 1; ; round += 1) {
    const startedAt = performance.now()
    const { isRight, message } = await (test === undefined ? runARound(mutant, round) : runTest(mutant, test))
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const isLast = isRight || round === rounds
    const verdict = isRight ? 'ok  ' : isLast ? 'FAIL' : 'anew'
    console.log(`${verdict} ${String(seconds).padStart(4)} s  ${mutant.name}: ${message}`)
    if (isRight) rmSync(folderOf(mutant.name), { recursive: true, force: true })
    if (isLast) return isRight
  }
}

async function runARound(mutant: Mutant, round: number): Promise<Finding> {
  const child = fork(join(import.meta.dirname, 'try-one.ts'), [mutant.name, String(round)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  let outcome: RoundOutcome | null = null
  child.once('message', (message) => void (outcome = message as RoundOutcome))
  await once(child, 'exit')
  if (outcome === null) return { isRight: false, message: 'the round crashed' }
  const { violations, folder } = outcome as RoundOutcome
  const counts = Map.groupBy(violations, ({ promise }) => promise)
  const isCaughtBy = mutant.caughtBy.some((promise) => counts.has(promise))
  const isRight = controls.includes(mutant) ? counts.size === 0 : isCaughtBy
  const found = [...counts].map(([promise, own]) => `${promise} ${own.length}`).join(', ') || 'nothing found'
  return { isRight, message: isRight ? found : `${found}, see ${folder}` }
}

const root = join(import.meta.dirname, '../../..')
const sources = 'src workers schemas test dev clients docs package.json tsconfig.json'.split(' ')

async function runTest({ name, edits }: Mutant, test: string): Promise<Finding> {
  const folder = folderOf(name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const source of sources) cpSync(join(root, source), join(folder, source), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [file, source] of editedFiles(folder, edits)) writeFileSync(join(folder, file), source)
  const child = spawn(process.execPath, ['dev/tests/run.ts', 'test', join('test', test)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  killOnExit(child)
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const [line = 'no tests ran', passed = 0, failed = 0] = /^(\d+) passed, (\d+) failed/m.exec(output) ?? []
  return { isRight: Number(passed) > 0 && Number(failed) > 0, message: `${test}: ${line}` }
}

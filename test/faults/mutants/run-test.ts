import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { killOnExit } from '../../support/child.ts'
import { editedFiles } from '../../support/edited-build/edit.ts'
import type { Mutant } from './mutant.ts'

const root = join(import.meta.dirname, '../../..')
const folders = ['src', 'workers', 'schemas', 'test', 'dev', 'docs']
const sources = [...folders, 'package.json', 'tsconfig.json']

/** The folder with the evidence about a mutant. */
export const folderOf = ({ name }: Pick<Mutant, 'name'>): string => resolve('.data/faults/mutants', name)

/** Runs a test file on the sources with a bug. The bug is caught if some tests pass and some fail. */
export async function runTest(mutant: Mutant, test: string): Promise<{ isRight: boolean; message: string }> {
  const folder = folderOf(mutant)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const source of sources) cpSync(join(root, source), join(folder, source), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [file, source] of editedFiles(folder, mutant.edits)) writeFileSync(join(folder, file), source)
  const child = spawn(process.execPath, ['dev/tests/run.ts', 'test', join('test', test)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  killOnExit(child)
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const [line = 'no tests ran', passed = 0, failed = 0] = /^(\d+) passed, (\d+) failed/m.exec(output) ?? []
  return { isRight: Number(passed) > 0 && Number(failed) > 0, message: `${test}: ${line}` }
}

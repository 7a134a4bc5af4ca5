import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from '../built.ts'
import { type Edit, editedFiles } from './edit.ts'

const root = join(import.meta.dirname, '../../..')

/** Beside them a build needs the settings of the compiler and the version. */
const sources = ['src', 'workers', 'schemas', 'tsconfig.json', 'package.json']

const folders: string[] = []
const removeAll = (): void => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

/**
 * Builds the service from its sources with edits made: the points at which it can be told to die, a clock that can be set, a planted bug.
 * What production runs has none of them. Answers the folder of the build, which is removed when this process ends.
 */
export function buildWith(edits: readonly Edit[]): string {
  mkdirSync(join(root, '.data'), { recursive: true })
  // Within the project, where its packages are found.
  const folder = mkdtempSync(join(root, '.data/faults-build-'))
  if (folders.length === 0) process.once('exit', removeAll)
  folders.push(folder)
  for (const name of sources) cpSync(join(root, name), join(folder, name), { recursive: true })
  cpSync(join(import.meta.dirname, 'inside.ts'), join(folder, 'src/inside.ts'))
  for (const [file, text] of editedFiles(folder, edits)) writeFileSync(join(folder, file), text)
  const made = join(folder, 'dist')
  compile(folder, made)
  return made
}

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from '../../support/built.ts'
import { type Edit, edited } from './edit.ts'

const root = join(import.meta.dirname, '../../..')

/** Beside them a build needs the settings of the compiler and the version. */
const sources = ['src', 'workers', 'schemas', 'tsconfig.json', 'package.json']

/**
 * Builds the service from its sources with edits made: the points at which it can be told to die, a clock that can be set, a planted bug.
 * What production runs has none of them. Answers the folder of the build, which is removed when this process ends.
 */
export function buildWith(edits: readonly Edit[]): string {
  mkdirSync(join(root, '.data'), { recursive: true })
  // Within the project, where its packages are found.
  const folder = mkdtempSync(join(root, '.data/faults-build-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const name of sources) cpSync(join(root, name), join(folder, name), { recursive: true })
  cpSync(join(import.meta.dirname, 'inside.ts'), join(folder, 'src/inside.ts'))
  for (const edit of edits) {
    const path = join(folder, edit.file)
    writeFileSync(path, edited(readFileSync(path, 'utf8'), edit))
  }
  const made = join(folder, 'dist')
  compile(folder, made)
  return made
}

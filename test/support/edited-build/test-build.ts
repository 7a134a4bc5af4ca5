import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildFolder, compile } from '../built.ts'
import { type Edit, editedFiles } from './edit.ts'

const root = join(import.meta.dirname, '../../..')

/** The sources, the compiler's settings and the version. */
const sources = ['src', 'workers', 'schemas', 'tsconfig.json', 'package.json']

/**
 * Builds the service with edits: points at which it can be stopped, a clock that can be set, a planted bug. The
 * returned folder is removed when this process ends.
 */
export function buildWith(edits: readonly Edit[]): string {
  // Inside the project, so that packages resolve.
  const folder = buildFolder('edited-build')
  for (const name of sources) cpSync(join(root, name), join(folder, name), { recursive: true })
  cpSync(join(import.meta.dirname, 'inside.ts'), join(folder, 'src/inside.ts'))
  for (const [file, text] of editedFiles(folder, edits)) writeFileSync(join(folder, file), text)
  const made = join(folder, 'dist')
  compile(folder, made)
  return made
}

import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildFolder, compile } from '../built.ts'
import { type Edit, editedFiles } from './edit.ts'

const root = join(import.meta.dirname, '../../..')
const sources = ['src', 'workers', 'schemas', 'tsconfig.json', 'package.json']

export function buildWith(edits: readonly Edit[]): string {
  const folder = buildFolder('edited-build')
  for (const name of sources) cpSync(join(root, name), join(folder, name), { recursive: true })
  cpSync(join(import.meta.dirname, 'inside.ts'), join(folder, 'src/inside.ts'))
  for (const [file, text] of editedFiles(folder, edits)) writeFileSync(join(folder, file), text)
  const made = join(folder, 'dist')
  compile(folder, made)
  return made
}

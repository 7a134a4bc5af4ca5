import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
let folder: string | undefined

/**
 * The folder with what `npm run build` makes, made once in a run and removed with it: a program of it starts in half the time
 * that its sources take. It lies within the project, where its packages are found.
 */
export function built(): string {
  if (folder !== undefined) return folder
  mkdirSync(join(root, '.data'), { recursive: true })
  const made = mkdtempSync(join(root, '.data/test-build-'))
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  compile(root, made)
  folder = made
  return made
}

/** Compiles the sources of a version. The types are another check's matter. */
export function compile(sources: string, made: string): void {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const how = ['--singleThreaded', '--noCheck', '--sourceMap', 'false', '--outDir', made]
  execFileSync(process.execPath, [compiler, ...how], { cwd: sources, stdio: 'inherit' })
}

import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
let folder: string | undefined

/**
 * Compiles the service once per test run and returns the folder, which is removed at the end of the run. Compiled
 * programs start in half the time of their sources. The folder is inside the project, so that packages resolve.
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

/**
 * A program of the service, such as `src/server`: compiled in suites that start many processes (dev/tests/suites.ts),
 * else its source.
 */
export const programOf = (name: string): string =>
  process.env.TEST_BUILD === undefined ? join(root, `${name}.ts`) : programIn(process.env.TEST_BUILD, name)

export const programIn = (build: string, name: string): string => join(build, `${name}.js`)

/** Compiles the sources in a folder, without checking types, and copies what the build copies. */
export function compile(sources: string, made: string): void {
  const compiler = join(root, 'node_modules/@typescript/native/bin/tsc')
  const options = ['--singleThreaded', '--noCheck', '--sourceMap', 'false', '--outDir', made]
  execFileSync(process.execPath, [compiler, ...options], { cwd: sources, stdio: 'inherit' })
  cpSync(join(root, 'docs/clients'), join(made, 'docs/clients'), { recursive: true })
}

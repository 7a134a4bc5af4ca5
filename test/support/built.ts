import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
let folder: string | undefined
const folders: string[] = []
const removeAll = (): void => {
  for (const each of folders) rmSync(each, { recursive: true, force: true })
}

/** Compiled once per run, because compiled programs start in half the time. Inside the project, so packages resolve. */
export function built(): string {
  if (folder !== undefined) return folder
  folder = buildFolder('test-build')
  compile(root, folder)
  return folder
}

function removedAtExit(made: string): string {
  if (folders.push(made) === 1) process.once('exit', removeAll)
  return made
}

export const temporaryFolder = (): string => removedAtExit(mkdtempSync(join(tmpdir(), 'payment-intents-')))

/** Removed when this process ends. The next run gets the same name, so that Node.js finds what it compiled before. */
export function buildFolder(name: string): string {
  mkdirSync(join(root, '.data'), { recursive: true })
  for (let number = 1; ; number += 1)
    try {
      const made = join(root, `.data/${name}-${number}`)
      mkdirSync(made)
      return removedAtExit(made)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
}

export const programOf = (name: string): string =>
  process.env.TEST_BUILD === undefined ? join(root, `${name}.ts`) : programIn(process.env.TEST_BUILD, name)
export const programIn = (build: string, name: string): string => join(build, `${name}.js`)

export function compile(sources: string, made: string, ...project: string[]): void {
  const compiler = join(root, 'node_modules/@typescript/native/bin/tsc')
  const options = ['--singleThreaded', '--noCheck', '--outDir', made, ...project]
  execFileSync(process.execPath, [compiler, ...options], { cwd: sources, stdio: 'inherit' })
  const filter = (name: string): boolean => !/\.(ts|json)$/.test(name)
  cpSync(join(sources, 'src'), join(made, 'src'), { recursive: true, filter })
  cpSync(join(root, 'clients'), join(made, 'clients'), { recursive: true })
  execFileSync(process.execPath, ['docs/site/render.ts', join(made, 'docs/guide.json')], {
    cwd: root,
  })
}

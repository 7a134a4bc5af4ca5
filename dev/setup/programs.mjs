import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { run } from './run.mjs'

/** @typedef {{ path: string, version: string, from: string }} Binary */

/**
 * Checks that a binary runs and prints its version.
 * @returns {Binary | string} the binary, or the reason why it is not usable
 */
export function checkBinary(path, from) {
  const { stdout, stderr, error } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 })
  const version = /(?:db version v|server v=|chromium |chrome |promtool, version |^PHP |^v)([\d.]+)/i.exec(
    stdout ?? '',
  )?.[1]
  if (version) return { path, version, from }
  const output = `${stderr ?? ''}${stdout ?? ''}`.trim().split('\n')[0]
  return `${path} (${from}) does not run: ${error?.message ?? output}`
}

export const checkKept = (path, from) => (existsSync(path) ? checkBinary(path, from) : undefined)

/**
 * Finds the first of these names that runs, wherever on the PATH.
 * @returns {Binary | string}
 */
export function findOnPath(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name))).filter(existsSync)
  const checked = paths.map((path) => checkBinary(path, 'on the PATH'))
  const [first = `no ${names.join(' or ')} on the PATH`] = checked
  return checked.find((found) => typeof found === 'object') ?? first
}

/** @returns {Binary | string | undefined} */
export function findByVariable(name) {
  const path = process.env[name]
  return path ? checkBinary(path, name) : undefined
}

/**
 * Goes through the ways until one returns a binary. A way returns the reason why it has none, or nothing if it does not
 * apply.
 * @returns {Promise<Binary | undefined>}
 */
export async function firstOf(ways, report = (_reason) => {}) {
  for (const way of ways) {
    const result = await way(report)
    if (typeof result === 'object') return result
    if (result) report(result)
  }
}

export function cacheFolder(name) {
  const home = join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache')
  return join(process.env.XDG_CACHE_HOME || home, 'payment-intents', name)
}

/**
 * Fills a folder beside the cache, so that the cache only has complete files. The folder is removed after `use`, which
 * takes out of it what it keeps.
 */
export async function inPartialFolder(kept, use) {
  const partial = `${kept}.partial-${process.pid}`
  const clear = () => rmSync(partial, { recursive: true, force: true })
  process.once('exit', clear)
  mkdirSync(partial, { recursive: true })
  try {
    return await use(partial)
  } finally {
    clear()
    process.off('exit', clear)
  }
}

/**
 * Keeps one program of an archive, if the archive's checksum is right and the program runs.
 * @param {string} archive its path, in a partial folder
 * @param {string} file the program inside, without the archive's own folder
 * @param {[algorithm: string, inBase64: string]} checksum
 * @returns {Promise<string | undefined>} the reason if that fails
 */
export async function keepFromArchive(archive, file, [algorithm, expected], kept) {
  const digest = createHash(algorithm).update(readFileSync(archive)).digest('base64')
  if (digest !== expected) return `its ${algorithm.toUpperCase()} checksum is wrong, so it was removed`
  const cwd = dirname(archive)
  const options = { name: `Unpacking ${archive}`, cwd }
  const unpacked = await run('tar', ['-xf', archive, '--strip-components=1'], options)
  if (!unpacked.ok) return unpacked.why
  const binary = join(cwd, file)
  chmodSync(binary, 0o755)
  const checked = checkBinary(binary, 'downloaded')
  if (typeof checked === 'string') return checked
  mkdirSync(dirname(kept), { recursive: true })
  renameSync(binary, kept)
}

/** Options of `run` for a download into a folder, which is stuck if the folder does not grow for a minute. */
export const downloading = (folder, name) => ({
  name,
  progress: () => `${(bytesIn(folder) / 1e6).toFixed(1)} MB`,
  quietLimitMs: 60_000,
  env: { TMPDIR: folder, PIP_DISABLE_PIP_VERSION_CHECK: '1' },
})

function bytesIn(path) {
  try {
    const stat = statSync(path)
    if (!stat.isDirectory()) return stat.size
    return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
  } catch {
    return 0
  }
}

// Gives up soon on a mirror that doesn't respond. Waits for another running apt.
const limits = ['Acquire::http::Timeout=20', 'Acquire::Retries=1', 'DPkg::Lock::Timeout=120']

/**
 * Lets apt-get install or download a package of Debian or Ubuntu without a prompt. If it fails, root first updates the
 * lists of packages.
 */
export async function fromApt(words, packageName, cwd) {
  const apt = (...args) =>
    run('apt-get', [...limits.flatMap((limit) => ['-o', limit]), '-y', ...args], {
      name: `apt-get: ${packageName}`,
      cwd,
      env: { DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_SUSPEND: '1' },
    })
  const isRoot = process.getuid?.() === 0
  if (words[0] === 'install' && !isRoot) return { ok: false, why: 'apt-get needs root' }
  const first = await apt(...words, packageName)
  if (first.ok || !isRoot || first.why.startsWith('no apt-get')) return first
  const update = await apt('update', '--error-on=any')
  const second = await apt(...words, packageName)
  return second.ok || update.ok ? second : update
}

export const installFromApt = (packageName) => fromApt(['install', '--no-install-recommends'], packageName)

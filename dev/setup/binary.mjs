import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

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

/**
 * Finds the first of these names that runs, wherever on the PATH.
 * @returns {Binary | string}
 */
export function findOnPath(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name))).filter(existsSync)
  let why
  for (const path of paths) {
    const found = checkBinary(path, 'on the PATH')
    if (typeof found === 'object') return found
    why ??= found
  }
  return why ?? `no ${names.join(' or ')} on the PATH`
}

/** @returns {Binary | string | undefined} */
export function findByVariable(name) {
  const path = process.env[name]
  return path ? checkBinary(path, name) : undefined
}

/**
 * Tries each way until one returns a binary. A way returns the reason why it has none, or nothing if it does not apply.
 * @returns {Promise<Binary | undefined>}
 */
export async function firstOf(ways, report = (_reason) => {}) {
  for (const way of ways) {
    const result = await way(report)
    if (typeof result === 'object') return result
    if (result) report(result)
  }
}

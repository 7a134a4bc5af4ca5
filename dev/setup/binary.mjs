import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** @typedef {{ path: string, version: string, from: string }} Binary */

/**
 * A binary counts as found only when it runs and says its version.
 * @returns {Binary | string} or why not
 */
export function tryBinary(path, from) {
  const { stdout, stderr, error } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 })
  const version = /(?:db version v|server v=|chromium |chrome |promtool, version |^PHP )([\d.]+)/i.exec(
    stdout ?? '',
  )?.[1]
  if (version) return { path, version, from }
  const words = `${stderr ?? ''}${stdout ?? ''}`.trim().split('\n')[0]
  return `${path} (${from}) does not run: ${error?.message ?? words}`
}

/** @returns {Binary | string} */
export function tryPath(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const path = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(existsSync)
  return path ? tryBinary(path, 'on the PATH') : `no ${names.join(' or ')} on the PATH`
}

/** @returns {Binary | string | undefined} */
export function tryVariable(name) {
  const path = process.env[name]
  return path ? tryBinary(path, name) : undefined
}

/**
 * Tries each way in its turn until one gives a binary. A way answers with why it does not, or with nothing where it is
 * out of the question and needs no word.
 * @returns {Promise<Binary | undefined>}
 */
export async function firstOf(ways, hear = (_word) => {}) {
  for (const way of ways) {
    const answer = await way(hear)
    if (typeof answer === 'object') return answer
    if (answer) hear(answer)
  }
}

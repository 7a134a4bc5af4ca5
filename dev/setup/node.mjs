import { existsSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { checkBinary } from './binary.mjs'
import { cacheFolder } from './cache.mjs'
import { builds } from './node-builds.mjs'
import { say } from './say.mjs'

const platform = `${process.platform}-${process.arch}`
const remedy = 'Install Node.js 24, and put it on the PATH.'

/** Whether this is a Node.js 24 that runs TypeScript without a flag or a warning. */
export function isWanted(version) {
  const [major, minor] = version.split('.').map(Number)
  return major === 24 && minor >= 12
}

/**
 * Finds Node.js 24: the one that runs this, one that was fetched before, or one on the PATH. Else fetches it.
 * @returns {Promise<string>} its path
 * @throws {Error} in one line, which says how to install it
 */
export async function needNode() {
  if (isWanted(process.versions.node)) return process.execPath
  const build = builds[platform]
  const kept = build && join(cacheFolder(`node-${build.version}-${platform}`), basename(build.file))
  if (kept && existsSync(kept)) return kept
  const found = findOnPath()
  if (found) return found
  if (!build) throw new Error(`Node.js 24 is required, and no package provides it for ${platform}. ${remedy}`)
  const { fetchNode } = await import('./node-download.mjs')
  const why = await fetchNode(kept, build)
  if (why) throw new Error(`Node.js ${build.version} could not be fetched from ${build.from}: ${why}. ${remedy}`)
  say(`Node.js ${build.version}: ${kept}, from ${build.from}`)
  return kept
}

/** Lets programs that call `node` find this one. */
export function putFirstOnPath(node) {
  process.env.PATH = [dirname(node), process.env.PATH].filter(Boolean).join(delimiter)
}

/** Finds another Node.js on the PATH. */
function findOnPath() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const paths = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name))
  const others = new Map(paths.filter(existsSync).map((path) => [realpathSync(path), path]))
  others.delete(realpathSync(process.execPath))
  return [...others.values()].find((path) => isWanted(checkBinary(path, 'on the PATH').version ?? ''))
}

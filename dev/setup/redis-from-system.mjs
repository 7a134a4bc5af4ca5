import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installFromApt } from './apt.mjs'
import { checkBinary, findOnPath } from './binary.mjs'
import { cacheFolder } from './cache.mjs'
import { run } from './run.mjs'

// Debian's package redis-server would start a service. The package redis-tools contains the same binary under another
// name. A link with the name redis-server makes it the server.
const IN_REDIS_TOOLS = '/usr/bin/redis-check-rdb'
const link = () => join(cacheFolder('redis-system'), 'redis-server')

/** Finds the server that the package manager installed before. */
export function findFromSystem() {
  return existsSync(link()) ? checkBinary(link(), 'from the package redis-tools') : undefined
}

/** Installs Redis with the package manager of the system, without a prompt. */
export function getRedisFromSystem() {
  return process.platform === 'darwin' ? fromHomebrew() : fromApt()
}

async function fromApt() {
  const { ok, why } = await installFromApt('redis-tools')
  if (!ok) return `not from the package manager: ${why}`
  rmSync(link(), { force: true })
  mkdirSync(dirname(link()), { recursive: true })
  symlinkSync(IN_REDIS_TOOLS, link())
  return findFromSystem()
}

async function fromHomebrew() {
  const { ok, why } = await run('brew', ['install', 'redis'], {
    name: 'Homebrew: redis',
    env: { NONINTERACTIVE: '1', HOMEBREW_NO_AUTO_UPDATE: '1', HOMEBREW_NO_INSTALL_CLEANUP: '1' },
  })
  return ok ? findOnPath('redis-server') : `not from Homebrew: ${why}`
}

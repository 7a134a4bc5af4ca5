import { findByVariable, findOnPath, firstOf } from './binary.mjs'
import { compileRedis, findCompiled } from './redis-compile.mjs'
import { findFromSystem, getRedisFromSystem } from './redis-from-system.mjs'

const here = [
  () => findByVariable('REDISMS_SYSTEM_BINARY'),
  () => findOnPath('redis-server', 'valkey-server'),
  findFromSystem,
  findCompiled,
]

export const waysToRedis =
  'put redis-server or valkey-server on the PATH or its path in REDISMS_SYSTEM_BINARY, or install it with apt-get as ' +
  'root or with Homebrew, or let this machine reach the download site of Redis and have make and a C compiler'

/** Finds or installs a Redis server. Reports the result of each way in one line. */
export function getRedisServer(report) {
  return firstOf([...here, getRedisFromSystem, compileRedis], report)
}

/** Finds an installed Redis server. */
export async function findRedisServer() {
  const found = await firstOf(here)
  if (found) return found
  throw new Error('redis-server is not installed. `npm test` installs it')
}

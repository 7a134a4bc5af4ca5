import { firstOf, tryPath, tryVariable } from './binary.mjs'
import { compileRedis, tryCompiled } from './redis-compile.mjs'
import { getRedisFromSystem, tryFromSystem } from './redis-from-system.mjs'

const here = [
  () => tryVariable('REDISMS_SYSTEM_BINARY'),
  () => tryPath('redis-server', 'valkey-server'),
  tryFromSystem,
  tryCompiled,
]

export const waysToRedis =
  'put redis-server or valkey-server on the PATH or its path in REDISMS_SYSTEM_BINARY, or install it with apt-get as ' +
  'root or with Homebrew, or let this machine reach the download site of Redis and have make and a C compiler'

/** Finds a Redis server or gets one; says in one line what each way gave. */
export function getRedisServer(hear) {
  return firstOf([...here, getRedisFromSystem, compileRedis], hear)
}

/** A Redis server that is already here. */
export async function findRedisServer() {
  const found = await firstOf(here)
  if (found) return found
  throw new Error('No redis-server here yet: `npm test` gets one')
}

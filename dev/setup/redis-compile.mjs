import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkBinary } from './binary.mjs'
import { cacheFolder, sizeOf } from './cache.mjs'
import { run } from './run.mjs'

// Compiling any one file of Redis takes less than this. A download without progress for this time is stuck.
const QUIET_LIMIT_MS = 60_000
const VERSION = 'stable'
const folder = () => cacheFolder('redis-compiled')
const binary = () => join(folder(), VERSION, 'redis-server')

/** Finds the server that was compiled before. */
export function findCompiled() {
  return existsSync(binary()) ? checkBinary(binary(), 'compiled here') : undefined
}

/**
 * Lets redis-memory-server download and compile Redis. This runs in a separate process, which is killed if it is stuck.
 */
export async function compileRedis() {
  mkdirSync(folder(), { recursive: true })
  const { ok, why } = await run(process.execPath, [fileURLToPath(import.meta.url)], {
    name: 'Redis: downloading and compiling it',
    progress: () => sizeOf(folder()),
    quietLimitMs: QUIET_LIMIT_MS,
    // Without strict_ssl, the download accepts any certificate.
    env: { npm_config_strict_ssl: 'true' },
  })
  if (ok) return findCompiled()
  // Its lock would block the next run.
  rmSync(folder(), { recursive: true, force: true })
  return `not compiled by redis-memory-server: ${why}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { RedisBinary } = await import('redis-memory-server')
  await RedisBinary.getPath({ downloadDir: folder(), version: VERSION, systemBinary: '' }).catch(({ message }) => {
    console.error(message)
    process.exitCode = 1
  })
}

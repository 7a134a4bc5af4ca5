import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tryBinary } from './binary.mjs'
import { arrivedIn, cacheFolder } from './cache.mjs'
import { run } from './run.mjs'

// One object file of Redis takes less on any machine; a download that is silent for that long is dead.
const QUIET_LIMIT_MS = 60_000
const VERSION = 'stable'
const folder = () => cacheFolder('redis-compiled')
const binary = () => join(folder(), VERSION, 'redis-server')

/** The server that was compiled here before. */
export function tryCompiled() {
  return existsSync(binary()) ? tryBinary(binary(), 'compiled here') : undefined
}

/** redis-memory-server downloads the source and compiles it. In a process of its own, to be ended when it gets no further. */
export async function compileRedis() {
  mkdirSync(folder(), { recursive: true })
  const { ok, why } = await run(process.execPath, [fileURLToPath(import.meta.url)], {
    name: 'Redis: downloading and compiling it',
    progress: () => arrivedIn(folder()),
    quietLimitMs: QUIET_LIMIT_MS,
    env: { npm_config_strict_ssl: 'true' }, // without it, its download accepts any certificate
  })
  if (ok) return tryCompiled()
  rmSync(folder(), { recursive: true, force: true }) // its lock, for one, would hold up the next try
  return `not compiled by redis-memory-server: ${why}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { RedisBinary } = await import('redis-memory-server')
  await RedisBinary.getPath({ downloadDir: folder(), version: VERSION, systemBinary: '' }).catch(
    ({ message }) => {
      console.error(message)
      process.exitCode = 1
    },
  )
}

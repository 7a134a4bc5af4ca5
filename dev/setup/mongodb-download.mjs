import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkBinary } from './binary.mjs'
import { cacheFolder, sizeOf } from './cache.mjs'
import { run } from './run.mjs'

// A download without progress for this time is stuck.
const QUIET_LIMIT_MS = 20_000

// Downloads and caches official builds. Imported late, because setup installs this package.
const memoryServer = () => import('mongodb-memory-server-core')
const folder = () => process.env.MONGOMS_DOWNLOAD_DIR || cacheFolder('mongodb-official')

/** Finds an official build that was downloaded before. */
export async function findDownloaded() {
  const { DryMongoBinary } = await memoryServer()
  const path = await DryMongoBinary.locateBinary({ downloadDir: folder() })
  return path ? checkBinary(path, 'the official build') : 'none downloaded before by mongodb-memory-server'
}

/**
 * Downloads the official build for this system. The download runs in a separate process, which is killed if it is
 * stuck.
 */
export async function downloadMongod() {
  mkdirSync(folder(), { recursive: true })
  const { ok, why } = await run(process.execPath, [fileURLToPath(import.meta.url)], {
    name: 'MongoDB: downloading the official build',
    progress: () => sizeOf(folder()),
    quietLimitMs: QUIET_LIMIT_MS,
    // Without strict_ssl, the download accepts any certificate. One attempt is enough, because there are other ways,
    // and a later one continues it.
    env: { npm_config_strict_ssl: 'true', MONGOMS_MAX_RETRIES: '1' },
  })
  return ok ? findDownloaded() : `no download of the official build: ${why}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { MongoBinary } = await memoryServer()
  await MongoBinary.getPath({ downloadDir: folder() }).catch(({ message }) => {
    console.error(message)
    process.exitCode = 1
  })
}

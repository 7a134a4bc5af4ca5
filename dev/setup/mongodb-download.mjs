import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { tryBinary } from './binary.mjs'
import { arrivedIn, cacheFolder } from './cache.mjs'
import { run } from './run.mjs'

// A site that sends nothing for that long will not send the rest either.
const QUIET_LIMIT_MS = 20_000

// Its cache and its download of MongoDB's own build; loaded late, for setup runs before it is installed.
const memoryServer = () => import('mongodb-memory-server-core')
const folder = () => process.env.MONGOMS_DOWNLOAD_DIR || cacheFolder('mongodb-official')

/** The official build, where it is already here. */
export async function tryDownloaded() {
  const { DryMongoBinary } = await memoryServer()
  const path = await DryMongoBinary.locateBinary({ downloadDir: folder() })
  return path ? tryBinary(path, 'the official build') : 'none downloaded before by mongodb-memory-server'
}

/** MongoDB's official build for this system. In a process of its own, to be ended when it gets no further. */
export async function downloadMongod() {
  mkdirSync(folder(), { recursive: true })
  const { ok, why } = await run(process.execPath, [fileURLToPath(import.meta.url)], {
    name: 'MongoDB: downloading the official build',
    progress: () => arrivedIn(folder()),
    quietLimitMs: QUIET_LIMIT_MS,
    // Without the first its download accepts any certificate. One attempt: there are other ways, and the next goes on
    // where this one stopped.
    env: { npm_config_strict_ssl: 'true', MONGOMS_MAX_RETRIES: '1' },
  })
  return ok ? tryDownloaded() : `no download of the official build: ${why}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { MongoBinary } = await memoryServer()
  await MongoBinary.getPath({ downloadDir: folder() }).catch(({ message }) => {
    console.error(message)
    process.exitCode = 1
  })
}

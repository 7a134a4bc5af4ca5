import { getMongod, waysToMongod } from './mongodb.mjs'
import { getRedisServer, waysToRedis } from './redis.mjs'
import { say } from './say.mjs'

const kinds = [
  {
    name: 'MongoDB',
    get: getMongod,
    ways: waysToMongod,
    url: 'MONGODB_URL',
    binary: 'MONGOMS_SYSTEM_BINARY',
  },
  {
    name: 'Redis',
    get: getRedisServer,
    ways: waysToRedis,
    url: 'REDIS_URL',
    binary: 'REDISMS_SYSTEM_BINARY',
  },
]

/**
 * Completes the environment for a command that needs both servers: their URLs if they are set, else the paths of their
 * binaries.
 * @throws {Error} in one line, which names every way to install what is missing
 */
export async function findServers({ ownServersOnly }) {
  const { env } = process
  const missing = []
  for (const { name, get, ways, url, binary } of kinds) {
    if (ownServersOnly) delete env[url]
    if (env[url]) {
      say(`${name}: the one at ${url}`)
      continue
    }
    const found = await get((word) => say(`${name}: ${word}`))
    if (found) {
      say(`${name} ${found.version}: ${found.path}, ${found.from}`)
      env[binary] = found.path
    } else {
      missing.push(`No ${name}: ${ownServersOnly ? '' : `set ${url}, `}${ways}.`)
    }
  }
  if (missing.length === 0) return
  throw new Error(`${missing.join(' ')} Or run the whole service in containers: docker compose up`)
}

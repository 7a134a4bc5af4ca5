import { relative, resolve } from 'node:path'
import { holdFolder } from './hold-folder.ts'
import { type Server, startMongo, startRedis } from './servers.ts'

/**
 * Starts the servers of a command that keeps its data (in .data/<command>/), or uses those at MONGODB_URL and
 * REDIS_URL. Prints their addresses on stderr.
 * @throws {Error} if the same command already runs in this folder
 */
export async function startLocalServers(command: 'demo' | 'stack') {
  const { MONGODB_URL, REDIS_URL } = process.env
  const folder = resolve('.data', command)
  const hold = await holdFolder(folder, `npm run ${command}`)
  const [mongo, redis] = await Promise.all([
    MONGODB_URL ? { url: MONGODB_URL } : startMongo({ dataDir: resolve(folder, 'mongodb') }),
    REDIS_URL ? { url: REDIS_URL } : startRedis({ dataDir: resolve(folder, 'redis'), appendonly: true }),
  ])
  const own = [mongo, redis].filter((server): server is Server => 'pid' in server)
  console.error(`MongoDB ${describe(mongo)}, Redis ${describe(redis)}, data in ${relative('.', folder)}`)
  await hold.publish(`MONGODB_URL=${mongo.url} REDIS_URL=${redis.url}`, own)
  return {
    mongoUrl: mongo.url,
    redisUrl: redis.url,
    stop: async () => {
      hold.release()
      await Promise.all(own.map((server) => server.stop()))
    },
  }
}

const describe = (server: Server | { url: string }) =>
  'pid' in server ? `${server.version} on port ${server.port}` : `at ${new URL(server.url).host}`

/** Resolves at the first signal that stops this process. Later signals have no effect. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const keepAlive = setInterval(() => {}, 60_000)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        clearInterval(keepAlive)
        resolve()
      })
    }
  })
}

import { findRedisServer } from '../setup/redis.mjs'
import { query } from './query.ts'
import { type Kind, type Server, type ServerOptions, startServer } from './start.ts'

let found: ReturnType<typeof findRedisServer> | undefined

/** Starts a Redis as BullMQ needs it (noeviction). With `appendonly`, it syncs its data to disk every second. */
export async function startRedis(options: ServerOptions & { appendonly?: boolean } = {}): Promise<Server> {
  found ??= findRedisServer()
  const kind = redis(await found, options.appendonly ?? false)
  return startServer(kind, options)
}

function redis(binary: Kind['binary'], appendonly: boolean): Kind {
  return {
    name: 'Redis',
    binary,
    options: {
      bind: '127.0.0.1',
      'maxmemory-policy': 'noeviction',
      // The hash of a job stays compact (docs/operators/deploy.md, "Redis"). Later versions still accept this name from
      // Redis 6.2.
      'hash-max-ziplist-value': '512',
      save: '',
      appendonly: appendonly ? 'yes' : 'no',
      appendfsync: 'everysec',
    },
    folderOption: 'dir',
    url: (port) => `redis://127.0.0.1:${port}`,
    isReady: async (port) => (await query(port, 'PING\r\n'))?.startsWith('+PONG') ?? false,
  }
}

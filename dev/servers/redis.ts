import { findRedisServer } from '../setup/redis.mjs'
import { ask } from './ask.ts'
import { type Kind, type Server, startServer, type Where } from './start.ts'

let found: ReturnType<typeof findRedisServer> | undefined

/** A Redis as BullMQ needs it (noeviction). With `appendonly` it keeps its data, synced every second. */
export async function startRedis(options: Where & { appendonly?: boolean } = {}): Promise<Server> {
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
      // A job's hash stays compact (docs/operators/deploy.md, "Redis"). The name that 6.2 knows; later ones know it still.
      'hash-max-ziplist-value': '512',
      save: '',
      appendonly: appendonly ? 'yes' : 'no',
      appendfsync: 'everysec',
    },
    folderOption: 'dir',
    url: (port) => `redis://127.0.0.1:${port}`,
    answers: async (port) => (await ask(port, 'PING\r\n'))?.startsWith('+PONG') ?? false,
  }
}

import { findRedisServer } from '../setup/servers.mjs'
import { query } from './query.ts'
import { type Kind, type Options, type Server, type ServerOptions, startServer } from './start.ts'

let found: ReturnType<typeof findRedisServer> | undefined

export interface RedisOptions extends ServerOptions {
  /** Syncs the data to disk every second. */
  appendonly?: boolean
  more?: Options
  sentinel?: string
}

/** Never evicts keys, as BullMQ requires. */
export async function startRedis(options: RedisOptions = {}): Promise<Server> {
  found ??= findRedisServer()
  return startServer(redis(await found, options), options)
}

function redis(binary: Kind['binary'], { appendonly = false, more = {}, tls, sentinel }: RedisOptions): Kind {
  const secure: Options = tls
    ? {
        port: '0',
        'tls-cert-file': tls,
        'tls-key-file': tls,
        'tls-ca-cert-file': tls,
        'tls-auth-clients': 'no',
        'tls-replication': 'yes',
      }
    : {}
  const ofKind: Options = sentinel ? { sentinel: true } : data(appendonly)
  return {
    name: 'Redis',
    binary,
    options: { ...ofKind, bind: '127.0.0.1', ...secure, ...more },
    folderOption: 'dir',
    ...(tls && { portOption: 'tls-port' }),
    ...(sentinel && { config: sentinel }),
    url: (port) => `redis${tls ? 's' : ''}://127.0.0.1:${port}`,
    isReady: async (port) =>
      (tls ? await query(port) : await query(port, 'PING\r\n'))?.startsWith(tls ? '' : '+PONG') ?? false,
  }
}

const data = (appendonly: boolean): Options => ({
  'maxmemory-policy': 'noeviction',
  // Keeps a job's hash compact (docs/operators/deploy.md, "Redis"). Later versions still accept this name from Redis
  // 6.2.
  'hash-max-ziplist-value': '512',
  save: '',
  appendonly: appendonly ? 'yes' : 'no',
  appendfsync: 'everysec',
})

import type { ConnectionOptions } from 'node:tls'
import { Cluster, Redis, type RedisOptions, ReplyError } from 'ioredis'
import type { Config } from '../config/config.ts'
import { parseRedisUrl } from '../config/redis-url.ts'
import { type Log, throttleLog } from '../platform/log.ts'
import { omitUndefined } from '../platform/without-undefined.ts'

export type RedisConnection = Redis | Cluster

type Options = Pick<
  RedisOptions,
  'lazyConnect' | 'enableOfflineQueue' | 'maxRetriesPerRequest' | 'commandTimeout' | 'connectTimeout'
>

/** Ends connections to a frozen server. BullMQ's own waits last up to 10 s. */
const socketTimeoutMs = 15_000

const retryStrategy = (times: number): number => Math.min(times * 100, 1000)

/** After a failover, the same name may resolve to the new master. */
const reconnectOnError = (error: Error): boolean => error.message.startsWith('READONLY')

const reconnecting = { retryStrategy, reconnectOnError, socketTimeout: socketTimeoutMs }

/** The driver would use database 0 if Redis refused the configured one. */
class StrictRedis extends Redis {
  override async select(database: number | string): Promise<'OK'> {
    try {
      return await super.select(database)
    } catch (error) {
      if (!(error instanceof ReplyError)) throw error
      this.emit('error', error)
      this.disconnect(true)
      // The connection becomes ready only once this promise resolves.
      return new Promise<never>(() => undefined)
    }
  }

  /** BullMQ's workers duplicate their connection. */
  override duplicate(changes?: Partial<RedisOptions>): never {
    return new StrictRedis({ ...this.options, ...changes, replyMapping: 'legacy' }) as never
  }
}

export function openRedis(
  { redisUrl, redisTrust }: Pick<Config, 'redisUrl' | 'redisTrust'>,
  options: Options,
): RedisConnection {
  const servers = parseRedisUrl(redisUrl)
  if (servers === null) throw new Error('REDIS_URL is not valid')
  const tls = servers.tls ? { tls: tlsOptions(redisTrust) } : {}
  switch (servers.kind) {
    case 'single':
      return new StrictRedis(redisUrl, { ...options, ...tls, ...reconnecting })
    case 'sentinel': {
      const { nodes, kind: _kind, tls: _tls, ...master } = servers
      return new StrictRedis({
        ...omitUndefined(master),
        ...options,
        ...(servers.tls && { ...tls, sentinelTLS: tls.tls, enableTLSForSentinelMode: true }),
        sentinels: nodes,
        sentinelRetryStrategy: retryStrategy,
        sentinelCommandTimeout: 2_000,
        ...reconnecting,
      })
    }
    case 'cluster': {
      const { lazyConnect, enableOfflineQueue, ...perNode } = options
      const { username, password } = servers
      return new Cluster(servers.nodes, {
        ...omitUndefined({ lazyConnect, enableOfflineQueue }),
        clusterRetryStrategy: retryStrategy,
        slotsRefreshInterval: 3_000,
        redisOptions: {
          ...perNode,
          socketTimeout: socketTimeoutMs,
          ...tls,
          ...omitUndefined({ username, password }),
        },
        ...(servers.tls && { dnsLookup: (host, callback) => callback(null, host) }),
      })
    }
  }
}

/** Commands fail after `timeoutMs` instead of waiting for Redis. */
export function openFastFailRedis(
  config: Parameters<typeof openRedis>[0],
  log: Log,
  timeoutMs: number,
  lazyConnect: boolean,
) {
  const connection = openRedis(config, {
    lazyConnect,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: timeoutMs,
    connectTimeout: timeoutMs,
  })
  const complain = throttleLog(5000, (fields) => log.warn(fields, 'redis.unavailable'))
  connection.on('error', (err) => complain({ err }))
  return { connection, complain }
}

export const redisMasters = (connection: RedisConnection): Redis[] =>
  connection instanceof Cluster ? connection.nodes('master') : [connection]

function tlsOptions({ ca, verify }: Config['redisTrust']): ConnectionOptions {
  return {
    ...(ca !== null && { ca }),
    rejectUnauthorized: verify !== 'off',
    ...(verify !== 'full' && { checkServerIdentity: () => undefined }),
  }
}

import { Redis } from 'ioredis'
import { type Server, startRedis } from '../../dev/servers.ts'
import { certificate, trusting } from './certificate.ts'
import { waitFor } from './wait-for.ts'

export type Sentinels = Awaited<ReturnType<typeof startSentinels>>
const tls = certificate
const downAfterMs = 500

export async function startSentinels() {
  const master = await startRedis({ tls, more: { 'repl-diskless-sync-delay': '0' } })
  const replica = await startRedis({ tls, more: { replicaof: `127.0.0.1 ${master.port}` } })
  // The replica must connect before the sentinels start, because a sentinel looks for replicas only every 10 s.
  await eventually(replica.url, async (redis) => (await redis.info('replication')).includes('link_status:up'))
  const sentinel = [
    `sentinel monitor payments 127.0.0.1 ${master.port} 2`,
    `sentinel down-after-milliseconds payments ${downAfterMs}`,
    'sentinel failover-timeout payments 4000',
    '',
  ].join('\n')
  const sentinels = await Promise.all([1, 2, 3].map(() => startRedis({ tls, sentinel })))
  await Promise.all(sentinels.map(({ url }) => eventually(url, isWatching)))
  const [first] = sentinels as [Server]
  const watcher = new Redis(first.url, { tls: trusting })
  return {
    url: `rediss+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/payments`,
    master,
    async isReplaced(): Promise<boolean> {
      const [, port] = (await watcher.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'payments')) as string[]
      return port === String(replica.port)
    },
    async stop(): Promise<void> {
      watcher.disconnect()
      await Promise.all([master, replica, ...sentinels].map((server) => server.stop()))
    },
  }
}

async function isWatching(sentinel: Redis): Promise<boolean> {
  const [found = []] = (await sentinel.call('SENTINEL', 'MASTERS')) as string[][]
  const field = (name: string) => found[found.indexOf(name) + 1]
  return field('num-slaves') === '1' && field('num-other-sentinels') === '2'
}

async function eventually(url: string, holds: (redis: Redis) => Promise<boolean>): Promise<void> {
  const redis = new Redis(url, { tls: trusting })
  await waitFor('the servers know each other', () => holds(redis)).finally(() => redis.disconnect())
}

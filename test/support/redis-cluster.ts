import { Redis } from 'ioredis'
import { freePort } from '../../dev/servers/free-port.ts'
import { type Server, startRedis } from '../../dev/servers.ts'
import { certificate, trusting } from './certificate.ts'
import { waitFor } from './wait-for.ts'

export type RedisCluster = Awaited<ReturnType<typeof startCluster>>
const slots = 16_384
const more = {
  'cluster-enabled': 'yes',
  'cluster-node-timeout': '1000',
  'tls-cluster': 'yes',
  'repl-diskless-sync-delay': '0',
}

/** Nodes talk to each other on a port 10 000 higher, which must be below the ports of outgoing connections. */
const maxPort = 22_700

/** Three masters, with TLS everywhere. Nearly all keys are on the first, which has a replica. */
export async function startCluster() {
  const servers = await Promise.all([1, 2, 3, 4].map(startNode))
  const nodes = servers.map(({ url }) => new Redis(url, { tls: trusting }))
  const [first, second, third, replica] = nodes as [Redis, Redis, Redis, Redis]
  for (let slot = 0; slot < slots - 2; slot += 4000)
    await first.cluster('ADDSLOTS', ...range(slot, Math.min(slot + 4000, slots - 2)))
  await second.cluster('ADDSLOTS', slots - 2)
  await third.cluster('ADDSLOTS', slots - 1)
  // Otherwise the nodes would start with the same epoch, and would first have to agree on different ones.
  for (const [index, node] of nodes.entries())
    await node.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1).catch((error: Error) => {
      // The client sends a command again if the connection breaks before the response.
      if (!error.message.includes('already non-zero')) throw error
    })
  // Each pair of nodes is introduced, because the nodes need seconds to learn of each other on their own.
  for (const [index, node] of nodes.entries())
    for (const { port } of servers.slice(index + 1)) await node.call('CLUSTER', 'MEET', '127.0.0.1', port)
  const all = (text: string, count: number) => (info: string) => info.split(text).length === count + 1
  // During the handshake, a node knows another only by a temporary id.
  const isIntroduced = (info: string) => all(' connected', 4)(info) && !info.includes('handshake')
  await eventually(nodes, (node) => node.call('CLUSTER', 'NODES'), isIntroduced)
  await replica.call('CLUSTER', 'REPLICATE', String(await first.call('CLUSTER', 'MYID')))
  await Promise.all([
    eventually(nodes, (node) => node.call('CLUSTER', 'INFO'), all('cluster_state:ok', 1)),
    eventually(nodes, (node) => node.call('CLUSTER', 'NODES'), all('slave', 1)),
    eventually([replica], (node) => node.info('replication'), all('master_link_status:up', 1)),
  ])
  for (const node of nodes.slice(0, 3)) node.disconnect()
  return {
    url: `rediss+cluster://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    master: servers[0] as Server,
    isReplaced: async () => (await replica.info('replication')).includes('role:master'),
    async stop(): Promise<void> {
      replica.disconnect()
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}

async function startNode(): Promise<Server> {
  for (;;) {
    const port = await freePort()
    if (port <= maxPort) return startRedis({ tls: certificate, more, port })
  }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at)

const eventually = (
  nodes: Redis[],
  query: (node: Redis) => Promise<unknown>,
  holds: (text: string) => boolean,
): Promise<unknown> =>
  Promise.all(nodes.map((node) => waitFor('the cluster', async () => holds(String(await query(node))))))

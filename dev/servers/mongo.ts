import { findMongod } from '../setup/servers.mjs'
import { query } from './query.ts'
import { type Kind, type Server, type ServerOptions, startServer } from './start.ts'

const setName = 'rs'
// The default of 10 s is meant for networks. On one machine, a primary without a heartbeat for 2 s has ended.
const electionTimeoutMs = 2000

let found: ReturnType<typeof findMongod> | undefined

export interface MongoOptions extends ServerOptions {
  /** How often TTL indexes remove documents. By default 60. */
  ttlSeconds?: number
  /** Ignores `maxTimeMS`, because on a busy machine every read may take long. */
  ignoresTimeLimits?: boolean
  /** `alone`, the default, is a set of one. A `member` must be added to a set. A `standalone` server has no set. */
  as?: 'alone' | 'member' | 'standalone'
  /** After a kill -9, MongoDB keeps an open transaction's documents locked for this long. By default 5. */
  lockSeconds?: number
}

export async function startMongo(options: MongoOptions = {}): Promise<Server> {
  found ??= findMongod()
  return startServer(mongo(await found, options), options)
}

/** A replica set. Each member can be killed or frozen. The driver and the members use the addresses of `hostsOf`. */
export async function startMongoReplicaSet(
  count: number,
  hostsOf = async (members: Server[]) => members.map(({ port }) => `127.0.0.1:${port}`),
): Promise<{ url: string; members: Server[]; stop(): Promise<void> }> {
  const members = await Promise.all(Array.from({ length: count }, () => startMongo({ as: 'member' })))
  const hosts = await hostsOf(members)
  const url = `mongodb://${hosts.join(',')}/payment_intents?replicaSet=${setName}`
  const first = `mongodb://${hosts[0]}/?directConnection=true`
  await atAdmin(first, (run) => run({ replSetInitiate: setOf(hosts) }))
  await atAdmin(url, (run) => run({ ping: 1 }))
  return {
    url,
    members,
    stop: async () => void (await Promise.all(members.map((member) => member.stop()))),
  }
}

function mongo(binary: Kind['binary'], options: MongoOptions): Kind {
  const { ttlSeconds = 60, ignoresTimeLimits, tls, as = 'alone', lockSeconds = 5 } = options
  const uri = (port: number) => `mongodb://127.0.0.1:${port}/payment_intents`
  return {
    name: 'MongoDB',
    binary,
    options: {
      bind_ip: '127.0.0.1',
      nounixsocket: true,
      quiet: true,
      storageEngine: 'wiredTiger',
      // The default is half of the memory, but several servers run beside the tests. With 0.25, the minimum, MongoDB
      // has refused a bulk insert as too large for its cache.
      wiredTigerCacheSizeGB: '0.5',
      setParameter: [
        'diagnosticDataCollectionEnabled=false',
        `ttlMonitorSleepSecs=${ttlSeconds}`,
        `transactionLifetimeLimitSeconds=${lockSeconds}`,
        ...(ignoresTimeLimits
          ? ['enableTestCommands=1', "failpoint.maxTimeNeverTimeOut={'mode':'alwaysOn'}"]
          : []),
      ],
      ...(as !== 'standalone' && { replSet: setName }),
      ...(tls && { tlsMode: 'requireTLS', tlsCertificateKeyFile: tls }),
    },
    folderOption: 'dbpath',
    url: (port) => (as === 'standalone' ? uri(port) : `${uri(port)}?replicaSet=${setName}`),
    // MongoDB opens its port only when it is ready.
    isReady: async (port) => (await query(port)) !== undefined,
    prepare: as === 'alone' ? (port) => becomePrimary(port, tls !== undefined) : undefined,
  }
}

const setOf = (hosts: readonly string[]) => ({
  _id: setName,
  members: hosts.map((host, _id) => ({ _id, host })),
  settings: { electionTimeoutMillis: electionTimeoutMs },
})

const notYetInitialized = 94
const invalidConfig = 93

/** Whether the server's data is new, or kept from another port. */
async function becomePrimary(port: number, isTls: boolean): Promise<void> {
  const tls = isTls ? '&tls=true&tlsAllowInvalidCertificates=true' : ''
  const host = `127.0.0.1:${port}`
  await atAdmin(`mongodb://${host}/?directConnection=true${tls}`, async (run) => {
    const status = await run({ replSetGetStatus: 1 }).catch((error: { code: unknown }) => error)
    if (status.code === notYetInitialized) await run({ replSetInitiate: setOf([host]) })
    if (status.code === invalidConfig) {
      const { version } = (await run({ replSetGetConfig: 1 })).config as { version: number }
      await run({ replSetReconfig: { ...setOf([host]), version: version + 1 }, force: true })
    }
    const isPrimary = async () => (await run({ hello: 1 })).isWritablePrimary === true
    while (!(await isPrimary())) await new Promise((done) => setTimeout(done, 5))
  })
}

type RunCommand = (words: object) => Promise<Record<string, unknown>>

async function atAdmin(url: string, act: (run: RunCommand) => Promise<unknown>): Promise<void> {
  // The import takes 0.2 s, and this process may need no client otherwise.
  const { mongo: driver } = await import('mongoose')
  const client = new driver.MongoClient(url)
  try {
    const admin = client.db('admin')
    await act((words) => admin.command(words))
  } finally {
    await client.close()
  }
}

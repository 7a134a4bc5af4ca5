import { findMongod } from '../setup/mongodb.mjs'
import { query } from './query.ts'
import { type Kind, type Server, type ServerOptions, startServer } from './start.ts'

let found: ReturnType<typeof findMongod> | undefined

export interface MongoOptions extends ServerOptions {
  replicaSet?: string
  /** The interval at which TTL indexes remove documents. 60 by default. */
  ttlSeconds?: number
  /** Ignores `maxTimeMS`, because on a busy machine every read may take long. */
  ignoresTimeLimits?: boolean
}

/** Starts a MongoDB with its real storage engine. */
export async function startMongo(options: MongoOptions = {}): Promise<Server> {
  found ??= findMongod()
  return startServer(mongo(await found, options), options)
}

function mongo(binary: Kind['binary'], { replicaSet, ttlSeconds = 60, ignoresTimeLimits, tls }: MongoOptions): Kind {
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
        ...(ignoresTimeLimits ? ['enableTestCommands=1', "failpoint.maxTimeNeverTimeOut={'mode':'alwaysOn'}"] : []),
      ],
      ...(replicaSet && { replSet: replicaSet }),
      ...(tls && { tlsMode: 'requireTLS', tlsCertificateKeyFile: tls }),
    },
    folderOption: 'dbpath',
    url: (port) => `mongodb://127.0.0.1:${port}/payment_intents${replicaSet ? `?replicaSet=${replicaSet}` : ''}`,
    // MongoDB opens its port only when it is ready.
    isReady: async (port) => (await query(port)) !== undefined,
  }
}

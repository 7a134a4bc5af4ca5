import { findMongod } from '../setup/mongodb.mjs'
import { ask } from './ask.ts'
import { type Kind, type Server, startServer, type Where } from './start.ts'

let found: ReturnType<typeof findMongod> | undefined

export interface MongoOptions extends Where {
  replicaSet?: string
  /** How often TTL indexes remove documents that are due; 60 by default. */
  ttlSeconds?: number
}

/** A MongoDB on its real storage engine. */
export async function startMongo(options: MongoOptions = {}): Promise<Server> {
  found ??= findMongod()
  return startServer(mongo(await found, options), options)
}

function mongo(binary: Kind['binary'], { replicaSet, ttlSeconds = 60 }: MongoOptions): Kind {
  return {
    name: 'MongoDB',
    binary,
    options: {
      bind_ip: '127.0.0.1',
      nounixsocket: true,
      quiet: true,
      storageEngine: 'wiredTiger',
      // Its default is half of the machine, and several run side by side with everything else of a test. With 0.25,
      // the least that it accepts, it has refused a bulk insert as too large for its cache.
      wiredTigerCacheSizeGB: '0.5',
      setParameter: ['diagnosticDataCollectionEnabled=false', `ttlMonitorSleepSecs=${ttlSeconds}`],
      ...(replicaSet && { replSet: replicaSet }),
    },
    folderOption: 'dbpath',
    url: (port) =>
      `mongodb://127.0.0.1:${port}/payment_intents${replicaSet ? `?replicaSet=${replicaSet}` : ''}`,
    // It opens its port only when it is ready to serve.
    answers: async (port) => (await ask(port)) !== undefined,
  }
}

import mongoose from 'mongoose'

/** Counters of a MongoDB server, and the sizes of its collections. */
export interface MongoFigures {
  /** Commands that read or write. Each is one round trip. */
  commands: number
  /** Documents that were inserted, updated or found. */
  documents: number
  journalBytes: number
  networkBytes: number
  /** Processor time of the server. */
  cpuMs: number
  collections: Record<string, { documents: number; bytes: number; stored: number; indexes: number }>
}

interface CollStats {
  count: number
  size: number
  storageSize: number
  totalIndexSize: number
  wiredTiger: { 'block-manager': Record<string, number> }
}

/** Flushes everything to disk first, so that the sizes are those of the stored data. */
export async function readFigures(mongodbUrl: string, names: string[]): Promise<MongoFigures> {
  const client = new mongoose.mongo.MongoClient(mongodbUrl)
  try {
    await client.db('admin').command({ fsync: 1 })
    const status = await client.db('admin').command({ serverStatus: 1 })
    const collections: MongoFigures['collections'] = {}
    for (const name of names) collections[name] = sizesOf((await client.db().command({ collStats: name })) as CollStats)
    const { reads, writes } = status.opLatencies
    const { user_time_us: user, system_time_us: system } = status.extra_info
    const { inserted, updated, returned } = status.metrics.document
    return {
      commands: Number(reads.ops) + Number(writes.ops),
      documents: Number(inserted) + Number(updated) + Number(returned),
      journalBytes: Number(status.wiredTiger.log['log bytes written']),
      networkBytes: Number(status.network.bytesIn) + Number(status.network.bytesOut),
      cpuMs: (Number(user) + Number(system)) / 1000,
      collections,
    }
  } finally {
    await client.close()
  }
}

function sizesOf({ count, size, storageSize, totalIndexSize, wiredTiger }: CollStats) {
  const free = wiredTiger['block-manager']['file bytes available for reuse'] ?? 0
  return { documents: count, bytes: size, stored: storageSize - free, indexes: totalIndexSize }
}

import type { Connection } from 'mongoose'
import type { Collection } from './collection.ts'
import { collections } from './collections.ts'
import { fillIn, lacking } from './fill-in.ts'
import type { Log } from './log.ts'
import { connectMongo } from './mongo.ts'

/**
 * Makes every collection and index that is missing, drops the retired, and fills in what earlier versions did not write; safe on a
 * running system, and to run twice. On a connection of its own without a time-out: building an index may take longer than any
 * request may.
 */
export async function makeIndexes(mongodbUrl: string, log: Log): Promise<void> {
  const mongo = await connectMongo(mongodbUrl, log, { socketTimeoutMS: 0 })
  try {
    for (const described of collections) await make(mongo, described)
  } finally {
    await mongo.close()
  }
  log.info({ collections: collections.map(({ name }) => name) }, 'indexes.made')
}

async function make(mongo: Connection, described: Collection): Promise<void> {
  const { name, indexes, retiredIndexes, backfill } = described
  await mongo.createCollection(name).catch((error: { codeName?: string }) => {
    if (error.codeName !== 'NamespaceExists') throw error
  })
  const collection = mongo.collection(name)
  const wanted = backfill === undefined ? indexes : [...indexes, lacking(backfill.missing)]
  if (wanted.length > 0) await collection.createIndexes([...wanted])
  // Only now, so that what one of them guarded is guarded all the time.
  for (const retired of retiredIndexes ?? [])
    await collection.dropIndex(retired).catch((error: { codeName?: string }) => {
      if (error.codeName !== 'IndexNotFound') throw error
    })
  await fillIn(mongo, described)
}

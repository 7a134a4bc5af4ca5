import { collections } from './collections.ts'
import type { Log } from './log.ts'
import { connectMongo } from './mongo.ts'

/**
 * Makes every collection and index that is missing, drops the retired, and fills in what earlier versions did not write; safe on a
 * running system, and to run twice. On a connection of its own without a time-out: building an index may take longer than any
 * request may.
 */
export async function makeIndexes(mongodbUrl: string, log: Log): Promise<void> {
  const mongo = await connectMongo(mongodbUrl, log, { socketTimeoutMS: 0 })
  for (const { name, indexes, retiredIndexes, backfill } of collections) {
    await mongo.createCollection(name).catch((error: { codeName?: string }) => {
      if (error.codeName !== 'NamespaceExists') throw error
    })
    const collection = mongo.collection(name)
    if (indexes.length > 0) await collection.createIndexes([...indexes])
    // Only now, so that what one of them guarded is guarded all the time.
    for (const retired of retiredIndexes ?? [])
      await collection.dropIndex(retired).catch((error: { codeName?: string }) => {
        if (error.codeName !== 'IndexNotFound') throw error
      })
    if (backfill !== undefined)
      await collection.updateMany({ [backfill.missing]: { $exists: false } }, [{ $set: backfill.set }])
  }
  await mongo.close()
  log.info({ collections: collections.map(({ name }) => name) }, 'indexes.made')
}

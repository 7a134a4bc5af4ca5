import { collections } from './collections.ts'
import type { Log } from './log.ts'
import { connectMongo } from './mongo.ts'

/**
 * Makes every collection and index that is missing; safe on a running system, and to run twice. On a connection of
 * its own without a time-out: building an index may take longer than any request may.
 */
export async function makeIndexes(mongodbUrl: string, log: Log): Promise<void> {
  const mongo = await connectMongo(mongodbUrl, log, { socketTimeoutMS: 0 })
  for (const { name, indexes } of collections) {
    await mongo.createCollection(name).catch((error: { codeName?: string }) => {
      if (error.codeName !== 'NamespaceExists') throw error
    })
    if (indexes.length > 0) await mongo.collection(name).createIndexes([...indexes])
  }
  await mongo.close()
  log.info({ collections: collections.map(({ name }) => name) }, 'indexes.made')
}

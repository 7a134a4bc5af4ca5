import type { Connection } from 'mongoose'
import { connectMongo, type MongoAddress } from '../mongo/connect.ts'
import type { CollectionDeclaration } from '../mongo/declare.ts'
import type { Log } from '../platform/log.ts'
import { collections } from './models.ts'

/**
 * Safe to run again, even while the service is running. Its own connection has no timeout, because building an index
 * can take longer than any request may.
 */
export async function makeIndexes(address: MongoAddress, log: Log): Promise<void> {
  const mongo = await connectMongo(address, log, { socketTimeoutMS: 0 })
  try {
    for (const collection of collections) await make(mongo, collection)
  } finally {
    await mongo.destroy()
  }
  log.info({ collections: collections.map(({ name }) => name) }, 'indexes.created')
}

async function make(mongo: Connection, { name, indexes }: CollectionDeclaration): Promise<void> {
  await mongo.createCollection(name).catch((error: { codeName?: string }) => {
    if (error.codeName !== 'NamespaceExists') throw error
  })
  if (indexes.length > 0) await mongo.collection(name).createIndexes([...indexes])
}

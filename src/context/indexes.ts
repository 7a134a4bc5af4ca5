import type { Connection } from 'mongoose'
import { connectMongo, type MongoAddress } from '../mongo/connect.ts'
import type { Collection } from '../mongo/declare.ts'
import type { Log } from '../platform/log.ts'
import { collections } from './models.ts'

/**
 * Creates all missing collections and indexes. It is safe to call this function repeatedly, even while the service is
 * running. Uses a separate connection without a timeout, because building an index may take longer than any request may
 * take.
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

async function make(mongo: Connection, { name, indexes }: Collection): Promise<void> {
  await mongo.createCollection(name).catch((error: { codeName?: string }) => {
    if (error.codeName !== 'NamespaceExists') throw error
  })
  if (indexes.length > 0) await mongo.collection(name).createIndexes([...indexes])
}

import mongoose from 'mongoose'
import type { Service } from './service.ts'

/** What MongoDB's profiler writes down of one operation. */
export interface Profiled {
  ns: string
  command: Record<string, unknown>
  planSummary?: string
  docsExamined?: number
  nreturned?: number
  keysExamined?: number
  hasSortStage?: boolean
  /** Of the connection it came on. */
  appName?: string
}

/** All that the service's database did during `work`. On a connection of its own: the service's may not profile. */
export async function profiled(service: Service, work: () => Promise<unknown>): Promise<Profiled[]> {
  const client = await mongoose.mongo.MongoClient.connect(service.deps.config.mongodbUrl)
  const database = client.db()
  try {
    await database.collection('system.profile').drop()
    await database.command({ profile: 2 })
    try {
      await work()
    } finally {
      await database.command({ profile: 0 })
    }
    return await database.collection<Profiled>('system.profile').find().toArray()
  } finally {
    await client.close()
  }
}

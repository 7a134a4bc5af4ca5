import mongoose from 'mongoose'
import type { Service } from './service.ts'

export interface Profiled {
  ns: string
  command: Record<string, unknown>
  planSummary?: string
  docsExamined?: number
  nreturned?: number
  ninserted?: number
  keysExamined?: number
  hasSortStage?: boolean
  appName?: string
}

/** Uses its own connection, because the service's user may not profile. */
export async function profiled(service: Service, work: () => Promise<unknown>): Promise<Profiled[]> {
  const client = await mongoose.mongo.MongoClient.connect(service.deps.config.mongodbUrl)
  const database = client.db()
  try {
    // By default, MongoDB keeps only the last megabyte of entries.
    await database.createCollection('system.profile', { capped: true, size: 16 * 1024 * 1024 })
    await database.command({ profile: 2 })
    try {
      await work()
    } finally {
      await database.command({ profile: 0 })
    }
    return await database.collection<Profiled>('system.profile').find().toArray()
  } finally {
    await database.collection('system.profile').drop()
    await client.close()
  }
}

type Work<I, T> = (each: I) => Promise<T>
export async function profiledEach<I, T>(service: Service, name: string, all: I[], work: Work<I, T>) {
  const results: { input: I; result: T }[] = []
  const operations = await profiled(service, async () => {
    for (const input of all) {
      results.push({ input, result: await work(input) })
      await service.deps.mongo.collection('ends').findOne({})
    }
  })
  return results.map((each) => {
    const end = operations.findIndex(({ ns }) => ns.endsWith('.ends'))
    const ours = operations.splice(0, end + 1).filter(({ ns }) => ns.endsWith(`.${name}`))
    return { ...each, ours, examined: ours.reduce((sum, { docsExamined = 0 }) => sum + docsExamined, 0) }
  })
}

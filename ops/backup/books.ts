import { openModels } from '../../src/collections.ts'
import type { Log } from '../../src/log.ts'
import { connectMongo } from '../../src/mongo.ts'
import type { Secrets } from '../../src/secrets.ts'

/** What is in a database, for a person who compares it with what should be. */
export interface Books {
  /** Documents by collection. */
  counts: Record<string, number>
  /** When the youngest intent was created; null: there is none. */
  newestIntentAt: string | null
  /** Whether the key that was given opens what is sealed; null: nothing is. */
  keyOpens: boolean | null
}

export async function readBooks(
  mongodbUrl: string,
  secrets: Pick<Secrets, 'unseal'>,
  log: Log,
): Promise<Books> {
  const mongo = await connectMongo(mongodbUrl, log, {})
  try {
    const { Intent, Endpoint, ...others } = openModels(mongo)
    const counts: Record<string, number> = {}
    for (const model of [Intent, Endpoint, ...Object.values(others)])
      counts[model.collection.collectionName] = await model.estimatedDocumentCount()
    // An `_id` begins with its time, and so needs no index of its own.
    const newest = await Intent.findOne({}, { createdAt: 1 }).sort({ _id: -1 }).lean()
    const sealed = await Endpoint.findOne({}, { secret: 1 }).sort({ _id: -1 }).lean()
    return {
      counts,
      newestIntentAt: newest?.createdAt.toISOString() ?? null,
      keyOpens: sealed === null ? null : opens(secrets, sealed.secret),
    }
  } finally {
    await mongo.close()
  }
}

function opens(secrets: Pick<Secrets, 'unseal'>, sealed: string): boolean {
  try {
    secrets.unseal(sealed)
    return true
  } catch {
    return false
  }
}

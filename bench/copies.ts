import { mongo } from 'mongoose'
import type { Intent } from '../src/intents/intent.ts'
import { newId, newReferenceNumber } from '../src/platform/ids.ts'
import { openApi } from './calls.ts'
import type { Merchant } from './merchants.ts'
import { order } from './order.ts'

/** About 1 MB. Larger batches make MongoDB wait for its cache. */
const INSERTED_TOGETHER = 1000
/** One batch is encoded while another one is written. */
const CONCURRENT_INSERTS = 2

/**
 * Returns an intent that the service created with a test key, paid if `paid`, and removes it from the database. Its
 * outbox is empty.
 */
export async function takeSample(
  database: mongo.Db,
  origin: string,
  merchant: Merchant,
  paid: boolean,
): Promise<Intent> {
  return { ...(await takeIntent(database, origin, merchant, paid)), outbox: [] }
}

/** Does the same, but keeps the events in the outbox. No worker may run. */
export async function takeIntent(
  database: mongo.Db,
  origin: string,
  merchant: Merchant,
  paid: boolean,
): Promise<Intent> {
  const api = openApi(Number(new URL(origin).port))
  const { referenceNumber } = (await api.post(merchant, '/intents', order)) as Pick<Intent, 'referenceNumber'>
  if (paid) await api.post(merchant, `/intents/${referenceNumber}/simulate-payment`, {})
  await api.close()
  const sample = await database.collection<Intent>('intents').findOneAndDelete({ referenceNumber })
  if (sample === null) throw new Error('The service stored no sample of an intent')
  // The copies have no payment code.
  const { codeKey: _codeKey, requestKey: _requestKey, ...rest } = sample
  return { ...rest, marks: [] }
}

let copied = 0

/**
 * Returns unique fields for one intent. Short codes are counted, because a million random ones would repeat hundreds of
 * times.
 */
export function ownOf(): Pick<Intent, '_id' | 'referenceNumber' | 'shortCode'> {
  copied += 1
  const shortCode = copied.toString(36).toUpperCase().padStart(6, '0')
  return { _id: newId(), referenceNumber: newReferenceNumber(), shortCode }
}

/** Writes `count` documents to MongoDB, without the service. A million take a minute. */
export async function addCopies<Doc extends mongo.Document>(
  collection: mongo.Collection<Doc>,
  count: number,
  copy: (index: number) => Doc,
): Promise<void> {
  let next = 0
  const loop = async (): Promise<void> => {
    while (next < count) {
      const from = next
      next = Math.min(count, from + INSERTED_TOGETHER)
      const copies = Array.from({ length: next - from }, (_, index) => copy(from + index))
      await collection.insertMany(copies as mongo.OptionalUnlessRequiredId<Doc>[], {
        ordered: false,
        writeConcern: { w: 1, journal: false },
      })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_INSERTS }, loop))
}

/** Opens a database for the duration of `use`. */
export async function withDatabase<T>(mongodbUrl: string, use: (database: mongo.Db) => Promise<T>): Promise<T> {
  const client = await mongo.MongoClient.connect(mongodbUrl)
  try {
    return await use(client.db())
  } finally {
    await client.close()
  }
}

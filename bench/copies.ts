import { mongo } from 'mongoose'
import type { Intent } from '../src/intents/intent.ts'
import { newId, newReferenceNumber } from '../src/security/ids.ts'
import { openApi } from './calls.ts'
import type { Merchant } from './merchants.ts'
import { order } from './order.ts'

/** Some 1 MB; larger ones make MongoDB wait for its own cache. */
const INSERTED_TOGETHER = 1000
/** One is encoded while the other is written. */
const LANES = 2

/** An intent as the service created it with a merchant's test key, then paid if `paid`, and removed from the database. Its outbox is empty. */
export async function takeSample(
  books: mongo.Db,
  origin: string,
  merchant: Merchant,
  paid: boolean,
): Promise<Intent> {
  return { ...(await takeIntent(books, origin, merchant, paid)), outbox: [] }
}

/** The same with its events in its outbox, as long as no worker runs that relays them. */
export async function takeIntent(
  books: mongo.Db,
  origin: string,
  merchant: Merchant,
  paid: boolean,
): Promise<Intent> {
  const api = openApi(Number(new URL(origin).port))
  const { referenceNumber } = (await api.post(merchant, '/intents', order)) as Pick<Intent, 'referenceNumber'>
  if (paid) await api.post(merchant, `/intents/${referenceNumber}/simulate-payment`, {})
  await api.close()
  const sample = await books.collection<Intent>('intents').findOneAndDelete({ referenceNumber })
  if (sample === null) throw new Error('The sample of an intent was not made')
  // Its code is free again.
  const { codeKey: _codeKey, ...rest } = sample
  return { ...rest, effects: [] }
}

let copied = 0

/** What is one intent's own, and no other's. Short codes are counted up: of a million drawn, hundreds would be the same. */
export function ownOf(): Pick<Intent, '_id' | 'referenceNumber' | 'shortCode'> {
  copied += 1
  const shortCode = copied.toString(36).toUpperCase().padStart(6, '0')
  return { _id: newId(), referenceNumber: newReferenceNumber(), shortCode }
}

/** Writes so many documents straight into MongoDB, past the service; a million take a minute. */
export async function addCopies<Doc extends mongo.Document>(
  collection: mongo.Collection<Doc>,
  count: number,
  copy: (place: number) => Doc,
): Promise<void> {
  let next = 0
  const batcher = async (): Promise<void> => {
    while (next < count) {
      const from = next
      next = Math.min(count, from + INSERTED_TOGETHER)
      const copies = Array.from({ length: next - from }, (_, place) => copy(from + place))
      await collection.insertMany(copies as mongo.OptionalUnlessRequiredId<Doc>[], {
        ordered: false,
        writeConcern: { w: 1, journal: false },
      })
    }
  }
  await Promise.all(Array.from({ length: LANES }, batcher))
}

/** The books of a database, opened for as long as `use` takes. */
export async function withBooks<T>(mongodbUrl: string, use: (books: mongo.Db) => Promise<T>): Promise<T> {
  const client = await mongo.MongoClient.connect(mongodbUrl)
  try {
    return await use(client.db())
  } finally {
    await client.close()
  }
}

import type { mongo } from 'mongoose'
import type { Intent } from '../src/intents/intent.ts'
import { newId, newReferenceNumber } from '../src/platform/ids.ts'
import { type Merchant, openApi, order } from './calls.ts'
import type { Setting } from './setting.ts'

/** About 1 MB. Larger batches make MongoDB wait for its cache. */
const INSERTED_TOGETHER = 1000
/** One batch is encoded while another is written. */
const CONCURRENT_INSERTS = 2

type Source = Pick<Setting, 'service' | 'database'> & { merchants: (Merchant | undefined)[] }

/**
 * An intent created by the service for the first merchant, who has a test key, paid if `paid`. It's removed from the
 * database. Without a worker, its outbox still has its events.
 */
export async function takeIntent({ service, database, merchants }: Source, paid = false): Promise<Intent> {
  const api = openApi(service.web.origin)
  const [merchant] = merchants
  const { referenceNumber } = await api.post<{ referenceNumber: string }>(merchant, '/intents', order)
  if (paid) await api.post(merchant, `/intents/${referenceNumber}/simulate-payment`, {})
  await api.close()
  const sample = await database.collection<Intent>('intents').findOneAndDelete({ referenceNumber })
  if (sample === null) throw new Error('The service stored no sample of an intent')
  // The copies have no payment code.
  const { codeKey: _codeKey, requestKey: _requestKey, ...rest } = sample
  return { ...rest, marks: [] }
}

export const takeSample = async (source: Source, paid = false): Promise<Intent> => ({
  ...(await takeIntent(source, paid)),
  outbox: [],
})

let copied = 0

/** Short codes are counted up, because a million random ones would repeat hundreds of times. */
export function ownOf(): Pick<Intent, '_id' | 'referenceNumber' | 'shortCode'> {
  copied += 1
  const shortCode = copied.toString(36).toUpperCase().padStart(6, '0')
  return { _id: newId(), referenceNumber: newReferenceNumber(), shortCode }
}

/** Goes past the service. A million documents take a minute. */
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

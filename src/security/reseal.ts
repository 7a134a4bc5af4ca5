import type { Model, mongo } from 'mongoose'
import { nativeCollection } from '../mongo/collection.ts'
import { inBatches } from '../mongo/in-batches.ts'
import type { Secrets } from './seal.ts'

/** `unreadable` lists the documents whose value was encrypted with a key that isn't configured. */
export interface Resealed {
  resealed: number
  unreadable: string[]
}

interface Sealed {
  _id: string
  sealed: string
}

/**
 * Encrypts one field of all documents, or of those that match `where`, with the current SECRET_KEY. A value replaced in
 * the meantime stays, because it's already encrypted with that key. `advance` gets the size of each batch.
 */
export async function resealField<Doc extends { _id: string }>(
  { secrets }: { secrets: Secrets },
  model: Model<Doc>,
  field: string,
  { where, advance }: { where?: object; advance?(documents: number): void } = {},
): Promise<Resealed> {
  const result: Resealed = { resealed: 0, unreadable: [] }
  const collection = nativeCollection(model as unknown as Model<{ _id: string }>)
  const sealed = collection.find<Sealed>(
    { ...where, [field]: { $type: 'string' } },
    { projection: { sealed: `$${field}` } },
  )
  await inBatches(sealed, async (docs) => {
    const writes: mongo.AnyBulkWriteOperation<{ _id: string }>[] = []
    for (const { _id, sealed: before } of docs) {
      try {
        const after = secrets.reseal(before, { collection: collection.collectionName, id: _id, field })
        if (after === before) continue
        writes.push({ updateOne: { filter: { _id, [field]: before }, update: { $set: { [field]: after } } } })
      } catch {
        result.unreadable.push(_id)
      }
    }
    if (writes.length > 0) result.resealed += (await collection.bulkWrite(writes, { ordered: false })).modifiedCount
    advance?.(docs.length)
  })
  return result
}

import type { Model, mongo } from 'mongoose'
import { rawCollection } from '../mongo/collection.ts'
import { runInBatches } from '../mongo/in-batches.ts'
import type { Encrypter } from './encrypt.ts'

/** `unreadable` lists documents encrypted with a key that isn't configured. */
export type ReencryptionResult = { reencrypted: number; unreadable: string[] }

type Encrypted = { _id: string; encrypted: string }

/** A value replaced in the meantime already uses the current SECRET_KEY. */
export async function reencryptField<Doc extends { _id: string }>(
  { secrets }: { secrets: Encrypter },
  model: Model<Doc>,
  field: string,
  { where, advance }: { where?: object; advance?(documents: number): void } = {},
): Promise<ReencryptionResult> {
  const result: ReencryptionResult = { reencrypted: 0, unreadable: [] }
  const collection = rawCollection(model as unknown as Model<{ _id: string }>)
  const encrypted = collection.find<Encrypted>(
    { ...where, [field]: { $type: 'string' } },
    { projection: { encrypted: `$${field}` } },
  )
  await runInBatches(encrypted, async (docs) => {
    const writes: mongo.AnyBulkWriteOperation<{ _id: string }>[] = []
    for (const { _id, encrypted: before } of docs) {
      try {
        const after = secrets.reencrypt(before, { collection: collection.collectionName, id: _id, field })
        if (after === before) continue
        writes.push({ updateOne: { filter: { _id, [field]: before }, update: { $set: { [field]: after } } } })
      } catch {
        result.unreadable.push(_id)
      }
    }
    if (writes.length > 0)
      result.reencrypted += (await collection.bulkWrite(writes, { ordered: false })).modifiedCount
    advance?.(docs.length)
  })
  return result
}

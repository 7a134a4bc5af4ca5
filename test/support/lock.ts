import type { Model } from 'mongoose'
import { rawCollection } from '../../src/mongo/collection.ts'
import type { Service } from './service.ts'

/** Locks a document like a dead process whose transaction has changed it. Returns a function that frees it. */
export async function lockDocument<Doc extends { _id: string }>(
  { deps }: Service,
  model: Model<Doc>,
  _id: string,
): Promise<() => Promise<void>> {
  const session = deps.transactions.client.startSession()
  session.startTransaction()
  const change: object = { $set: { lockedBy: 'test' } }
  await rawCollection(model).updateOne({ _id } as object, change, { session })
  return async () => {
    await session.abortTransaction()
    await session.endSession()
  }
}

import { mongo } from 'mongoose'
import { createOneAtATime } from '../../platform/one-at-a-time.ts'
import { type Batcher, createBatcher } from './batcher.ts'

/** An update to one document that takes effect only if its guard matches. */
export interface GuardedUpdate {
  /** The `_id` of the document, and the guard. Values are not cast, so they must already have the correct types. */
  filter: { _id: string; [field: string]: unknown }
  update: Record<string, unknown> | Record<string, unknown>[]
  /**
   * A condition that the document meets only if this update has been made. The batcher checks this condition only if
   * some of the guards in a batch did not match.
   */
  proof: Record<string, unknown>
}

type Outcome = boolean | Error

/**
 * The maximum number of updates in a batch. Even a batch of this size takes much less time than a request is allowed to
 * wait.
 */
const longestBatch = 500

/**
 * Creates a batcher for guarded updates. The batcher sends the updates of all waiting callers in one bulk write. Each
 * update has its own guard, and each caller learns whether the guard of its update matched. A batch contains at most
 * one update per document, so further updates of the same document wait for the next batch.
 */
export function createUpdateBatcher<Doc extends { _id: string }>(
  collection: mongo.Collection<Doc>,
): Batcher<GuardedUpdate, boolean> {
  const batcher = createBatcher<GuardedUpdate, boolean>(longestBatch, (batch) => updateTogether(collection, batch))
  const oneAtATime = createOneAtATime()
  return (update, deadlineAt) => oneAtATime(update.filter._id, () => batcher(update, deadlineAt))
}

/** Never throws. After a connection error or a write concern error, the outcome of every update is that error. */
async function updateTogether<Doc extends { _id: string }>(
  collection: mongo.Collection<Doc>,
  batch: GuardedUpdate[],
): Promise<Outcome[]> {
  const operations = batch.map(({ filter, update }) => ({ updateOne: { filter, update } }))
  try {
    const { matchedCount } = await collection.bulkWrite(operations as never, { ordered: false })
    return matchedCount === batch.length ? batch.map(() => true) : await readOutcomes(collection, batch)
  } catch (error) {
    if (isUnknown(error as Error)) return batch.map(() => error as Error)
    if (batch.length === 1) return [withoutValues(error as Error)]
    // Each update is now sent separately, so that an update that cannot be encoded, or that MongoDB rejects, does not
    // make the others fail. If the batch had already made an update, the update's `proof` shows that it succeeded.
    const alone: Outcome[] = []
    for (const update of batch) alone.push(...(await updateTogether(collection, [update])))
    return alone
  }
}

/** Returns whether the outcome of a batch is unknown because the connection was lost or the write concern failed. */
function isUnknown(error: Error): boolean {
  const isRefusal = error instanceof mongo.MongoBulkWriteError && [error.writeErrors].flat().length > 0
  if (isRefusal) return error.result.getWriteConcernError() !== undefined
  return error instanceof mongo.MongoError
}

/** Replaces a MongoDB error, whose message may quote stored values, with one that quotes none. */
const withoutValues = (error: Error): Error =>
  error instanceof mongo.MongoError ? new Error(`MongoDB refused an update with code ${error.code}`) : error

/**
 * Finds out which of a batch's guards matched, because the result of a bulk write contains only the number of matches.
 * Reads only ids, because documents may be large and a batch may contain 500 updates.
 */
async function readOutcomes<Doc extends { _id: string }>(
  collection: mongo.Collection<Doc>,
  batch: GuardedUpdate[],
): Promise<boolean[]> {
  const proofs = batch.map(({ filter, proof }) => ({ _id: filter._id, ...proof }))
  const found = await collection.find({ $or: proofs } as object, { projection: { _id: 1 } }).toArray()
  const ids = new Set<unknown>(found.map(({ _id }) => _id))
  return batch.map(({ filter }) => ids.has(filter._id))
}

import { mongo } from 'mongoose'
import { createOneAtATime } from '../../process/one-at-a-time.ts'
import { type Batcher, createBatcher } from './batcher.ts'

/** A guarded update of one document. */
export interface GuardedUpdate {
  /** The document and its guard. Values are not cast. */
  filter: { _id: string; [field: string]: unknown }
  update: Record<string, unknown> | Record<string, unknown>[]
  /**
   * A condition that the document meets only if this update has been made. It is queried only if not all guards of a
   * batch matched.
   */
  proof: Record<string, unknown>
}

type Outcome = boolean | Error

/** Large, but a batch of this size takes much less time than a request's timeouts allow. */
const longestBatch = 500

/**
 * A batcher for guarded updates: one bulk write for all waiting callers, each under its own guard. Reports to each
 * caller whether its guard matched. A batch contains at most one update per document. Further updates of the same
 * document wait for the next batch.
 */
export function createUpdateBatcher<Doc extends { _id: string }>(
  collection: mongo.Collection<Doc>,
): Batcher<GuardedUpdate, boolean> {
  const batcher = createBatcher<GuardedUpdate, boolean>(longestBatch, (batch) =>
    updateTogether(collection, batch),
  )
  const oneAtATime = createOneAtATime()
  return (update, deadlineAt) => oneAtATime(update.filter._id, () => batcher(update, deadlineAt))
}

/** Never throws. After a connection error or a write concern error, the outcome of every update is an error. */
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
    // One update that cannot be encoded, or that MongoDB refuses, must not make the others fail, so each is sent alone.
    // For updates that were already written, this shows that they succeeded.
    const alone: Outcome[] = []
    for (const update of batch) alone.push(...(await updateTogether(collection, [update])))
    return alone
  }
}

/** Whether a lost connection or a failed write concern left the outcome of a batch unknown. */
function isUnknown(error: Error): boolean {
  const isRefusal = error instanceof mongo.MongoBulkWriteError && [error.writeErrors].flat().length > 0
  if (isRefusal) return error.result.getWriteConcernError() !== undefined
  return error instanceof mongo.MongoError
}

/** Replaces MongoDB's own message, because it quotes stored values. */
const withoutValues = (error: Error): Error =>
  error instanceof mongo.MongoError ? new Error(`MongoDB refused an update with code ${error.code}`) : error

/**
 * Finds out which guards of a batch matched, because a bulk write reports only how many. Reads only ids, because
 * documents may be large and a batch has up to 500.
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

import { mongo } from 'mongoose'
import { createOneAtATime } from '../../process/one-at-a-time.ts'
import { type Batcher, createBatcher } from './batcher.ts'

/** A guarded update of one document, as it would be sent alone. */
export interface GuardedUpdate {
  /** Names the document, and all that must hold. Nothing is cast. */
  filter: { _id: string; [field: string]: unknown }
  update: Record<string, unknown> | Record<string, unknown>[]
  /** What the document has, by which one tells that this very update is in it. Asked only where not all that went together were let through. */
  proof: Record<string, unknown>
}

type Outcome = boolean | Error

/** As for inserts: well below what a request's timeouts allows for. */
const longestBatch = 500

/**
 * A batcher of guarded updates: one bulk write for all that wait, each under its own guard. Answers each caller whether its guard let it
 * through. A document goes once into a batch: who wants it too goes with a later one.
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

/** Never throws: a fault of the connection or of the write concern leaves the outcome of all of them unknown. */
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
    if (batch.length === 1) return [told(error as Error)]
    // One that cannot be encoded, or that MongoDB refuses, must not decide over the others: each goes alone, those that were
    // written to hear that they are in.
    const alone: Outcome[] = []
    for (const update of batch) alone.push(...(await updateTogether(collection, [update])))
    return alone
  }
}

/** Nobody can tell what a lost connection or a failed write concern left of a batch. */
function isUnknown(error: Error): boolean {
  const isTold = error instanceof mongo.MongoBulkWriteError && [error.writeErrors].flat().length > 0
  if (isTold) return error.result.getWriteConcernError() !== undefined
  return error instanceof mongo.MongoError
}

/** MongoDB's own words on a refusal quote what is stored. */
const told = (error: Error): Error =>
  error instanceof mongo.MongoError ? new Error(`MongoDB refused an update with code ${error.code}`) : error

/** A bulk write tells how many it matched, not which. Nothing but ids is read: documents may be large, and a batch has 500. */
async function readOutcomes<Doc extends { _id: string }>(
  collection: mongo.Collection<Doc>,
  batch: GuardedUpdate[],
): Promise<boolean[]> {
  const proofs = batch.map(({ filter, proof }) => ({ _id: filter._id, ...proof }))
  const found = await collection.find({ $or: proofs } as object, { projection: { _id: 1 } }).toArray()
  const ids = new Set<unknown>(found.map(({ _id }) => _id))
  return batch.map(({ filter }) => ids.has(filter._id))
}

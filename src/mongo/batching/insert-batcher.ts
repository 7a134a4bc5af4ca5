import { type Model, mongo } from 'mongoose'
import { nativeCollection } from '../collection.ts'
import { type Batcher, createBatcher } from './batcher.ts'

/**
 * The result of an insert. If the document was not inserted, `index` is the name of the unique index that already
 * contains the document's value.
 */
export type Insertion = { inserted: true } | { inserted: false; index: string }

/**
 * Creates a batcher for inserts. `insertMany` must be unordered. Because each document already has its `_id`, sending
 * the same insert twice is safe. After a connection error or a write concern error, all callers of the batch are
 * rejected, because the outcome of their inserts is unknown.
 */
export const createInsertBatcher = <Doc>(insertMany: (docs: Doc[]) => Promise<unknown>): Batcher<Doc, Insertion> =>
  createBatcher(longestBatch, (docs) => insertTogether(insertMany, docs))

const longestBatch = 500

/** Creates a batcher for inserts into one collection. */
export const insertsOf = <Doc extends { _id: string }>(model: Model<Doc>) =>
  createInsertBatcher<Doc>((docs) => nativeCollection(model).insertMany(docs as never, { ordered: false }))

async function insertTogether<Doc>(
  insertMany: (docs: Doc[]) => Promise<unknown>,
  docs: Doc[],
): Promise<(Insertion | Error)[]> {
  try {
    await insertMany(docs)
    return docs.map(() => ({ inserted: true }))
  } catch (error) {
    if (error instanceof mongo.MongoBulkWriteError) return outcomesOf(error, docs.length)
    // An error that is not a MongoError means that one of the documents cannot be encoded. Such a document makes the
    // whole batch fail, so each document is now sent separately.
    if (error instanceof mongo.MongoError || docs.length === 1) throw error
    const alone = await Promise.allSettled(docs.map((doc) => insertTogether(insertMany, [doc])))
    return alone.map((one) => (one.status === 'fulfilled' ? one.value[0] : one.reason) as Insertion | Error)
  }
}

function outcomesOf(error: mongo.MongoBulkWriteError, count: number): (Insertion | Error)[] {
  const faults = [error.writeErrors].flat()
  if (faults.length === 0 || error.result.getWriteConcernError() !== undefined) throw error
  const outcomes: (Insertion | Error)[] = Array.from({ length: count }, () => ({ inserted: true }))
  for (const fault of faults) outcomes[fault.index] = outcomeOf(fault)
  return outcomes
}

/**
 * Keeps only the name of the index from MongoDB's error message, because the message also quotes stored values, such as
 * payment codes.
 */
function outcomeOf(fault: { code: number; errmsg?: string | undefined }): Insertion | Error {
  const index = /index: (\S+) dup key/.exec(fault.errmsg ?? '')?.[1]
  if (fault.code === 11000 && index !== undefined) return { inserted: false, index }
  return new Error(`MongoDB refused an insert with code ${fault.code}`)
}

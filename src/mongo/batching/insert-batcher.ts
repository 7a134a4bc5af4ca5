import { mongo } from 'mongoose'
import { type Batcher, createBatcher } from './batcher.ts'

/**
 * The result of an insert. If the document was not inserted, `index` is the name of the unique index that already
 * contains its value.
 */
export type Insertion = { inserted: true } | { inserted: false; index: string }

/**
 * Creates a batcher for inserts. `insertMany` must be unordered. Because the documents already contain their `_id`, it
 * is safe to insert one of them twice. A connection error or a write concern error rejects the whole batch, because its
 * outcome is unknown.
 */
export function createInsertBatcher<Doc>(
  insertMany: (docs: Doc[]) => Promise<unknown>,
  longestBatch: number,
): Batcher<Doc, Insertion> {
  return createBatcher(longestBatch, (docs) => insertTogether(insertMany, docs))
}

async function insertTogether<Doc>(
  insertMany: (docs: Doc[]) => Promise<unknown>,
  docs: Doc[],
): Promise<(Insertion | Error)[]> {
  try {
    await insertMany(docs)
    return docs.map(() => ({ inserted: true }))
  } catch (error) {
    if (error instanceof mongo.MongoBulkWriteError) return outcomesOf(error, docs.length)
    // One document that cannot be encoded makes the whole batch fail, so each document is then sent separately.
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

/** Returns only the name of the index, because MongoDB's own message quotes stored values, such as payment codes. */
function outcomeOf(fault: { code: number; errmsg?: string | undefined }): Insertion | Error {
  const index = /index: (\S+) dup key/.exec(fault.errmsg ?? '')?.[1]
  if (fault.code === 11000 && index !== undefined) return { inserted: false, index }
  return new Error(`MongoDB refused an insert with code ${fault.code}`)
}

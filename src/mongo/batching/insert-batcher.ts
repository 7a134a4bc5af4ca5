import { mongo } from 'mongoose'
import { type Batcher, createBatcher } from './batcher.ts'

/** What became of one insert: it is stored, or a unique index (by name) already holds its value. */
export type Insertion = { inserted: true } | { inserted: false; index: string }

/**
 * A batcher of inserts; `insertMany` must be unordered. Documents carry their `_id`, so sending one again is safe.
 * A fault of the connection or of the write concern rejects the whole batch: its outcome is unknown.
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
    if (error instanceof mongo.MongoBulkWriteError) return tellApart(error, docs.length)
    // One document that cannot be encoded keeps its whole batch from being sent: then each goes alone.
    if (error instanceof mongo.MongoError || docs.length === 1) throw error
    const alone = await Promise.allSettled(docs.map((doc) => insertTogether(insertMany, [doc])))
    return alone.map((one) => (one.status === 'fulfilled' ? one.value[0] : one.reason) as Insertion | Error)
  }
}

function tellApart(error: mongo.MongoBulkWriteError, count: number): (Insertion | Error)[] {
  const faults = [error.writeErrors].flat()
  if (faults.length === 0 || error.result.getWriteConcernError() !== undefined) throw error
  const outcomes: (Insertion | Error)[] = Array.from({ length: count }, () => ({ inserted: true }))
  for (const fault of faults) outcomes[fault.index] = outcomeOf(fault)
  return outcomes
}

/** The index's name is all that may leave here: MongoDB's own message quotes the values, codes among them. */
function outcomeOf(fault: { code: number; errmsg?: string | undefined }): Insertion | Error {
  const index = /index: (\S+) dup key/.exec(fault.errmsg ?? '')?.[1]
  if (fault.code === 11000 && index !== undefined) return { inserted: false, index }
  return new Error(`MongoDB refused an insert with code ${fault.code}`)
}

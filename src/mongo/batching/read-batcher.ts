import type { Model } from 'mongoose'
import { pastMongoose } from '../collection.ts'
import { createLane, type Lane } from './batcher.ts'

/** A lane of reads by id: one `find` for all that wait, `null` for an id that is not there. Nothing is kept. */
export function createReadLane<Doc>(
  find: (ids: string[]) => Promise<Doc[]>,
  idsOf: (doc: Doc) => string[],
  longestBatch = 1000,
): Lane<string, Doc | null> {
  return createLane(longestBatch, async (ids) => {
    const found = new Map<string, Doc>()
    for (const doc of await find([...new Set(ids)])) for (const id of idsOf(doc)) found.set(id, doc)
    return ids.map((id) => found.get(id) ?? null)
  })
}

/** A lane of reads by `_id` in one collection, of whole documents or of the fields that `projection` names. */
export const createByIdLane = <Stored extends { _id: string }, Doc extends { _id: string } = Stored>(
  model: Model<Stored>,
  projection: Record<string, 1 | { $slice: number }> = {},
  longestBatch?: number,
): Lane<string, Doc | null> =>
  createReadLane<Doc>(
    (ids) =>
      pastMongoose(model)
        .find<Doc>({ _id: { $in: ids } } as object, { projection })
        .toArray(),
    (doc) => [doc._id],
    longestBatch,
  )

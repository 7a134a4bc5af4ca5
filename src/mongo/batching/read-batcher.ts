import type { Model } from 'mongoose'
import { nativeCollection } from '../collection.ts'
import { type Batcher, createBatcher } from './batcher.ts'

/**
 * Creates a batcher for reads by id. The batcher sends one `find` for all waiting callers, and returns null for an id
 * if there is no such document. Nothing is cached.
 */
export function createReadBatcher<Doc>(
  find: (ids: string[]) => Promise<Doc[]>,
  idsOf: (doc: Doc) => string[],
): Batcher<string, Doc | null> {
  return createBatcher(1000, async (ids) => {
    const found = new Map<string, Doc>()
    for (const doc of await find([...new Set(ids)])) for (const id of idsOf(doc)) found.set(id, doc)
    return ids.map((id) => found.get(id) ?? null)
  })
}

/**
 * Creates a batcher for reads by `_id` in one collection. The batcher reads only the fields in `projection`, or whole
 * documents if there is no `projection`.
 */
export const createByIdBatcher = <Stored extends { _id: string }, Doc extends { _id: string } = Stored>(
  model: Model<Stored>,
  projection: Record<string, 1 | { $slice: number }> = {},
): Batcher<string, Doc | null> =>
  createReadBatcher<Doc>(
    (ids) =>
      nativeCollection(model)
        .find<Doc>({ _id: { $in: ids } } as object, { projection })
        .toArray(),
    (doc) => [doc._id],
  )

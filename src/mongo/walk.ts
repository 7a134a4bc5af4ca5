import type { Model, mongo } from 'mongoose'
import type { Listed } from '../input/pagination.ts'
import { nativeCollection } from './collection.ts'

/**
 * The documents in an index that match `where` and were created at or after `from` (if not null) and before `before`.
 */
export interface Walk {
  /** The last fields of this index are `createdAt` and `_id`. */
  index: string
  where: Record<string, unknown>
  from: Date | null
  before: Date
}

/** The limits of one read of a walk. */
export interface PageSize {
  documents: number
  projection: Record<string, 0 | 1>
  /**
   * MongoDB aborts the read after this. It is less than the 5 s after which the driver gives up, so that no read
   * continues without a client.
   */
  maxTimeMS: number
}

/** Returns the page of a walk after the document `last` (null: the first page), oldest first. */
export const readPage = <Doc extends Listed>(
  model: Model<Doc>,
  { index, where, from, before }: Walk,
  last: Listed | null,
  { documents, projection, maxTimeMS }: PageSize,
): Promise<Doc[]> =>
  nativeCollection(model)
    .find({ ...where, ...span(from, before, last) } as mongo.Filter<Doc>, {
      hint: index,
      sort: { createdAt: 1, _id: 1 },
      limit: documents,
      batchSize: documents,
      singleBatch: true,
      projection,
      maxTimeMS,
    })
    .toArray() as Promise<Doc[]>

/**
 * The filter of the remaining documents. Many may share `last`'s millisecond: of these, only those with higher ids
 * remain.
 */
function span(from: Date | null, before: Date, last: Listed | null): Record<string, unknown> {
  if (last === null) return { createdAt: { ...(from === null ? {} : { $gte: from }), $lt: before } }
  const { createdAt, _id } = last
  return {
    createdAt: { $gte: createdAt, $lt: before },
    $or: [{ createdAt: { $gt: createdAt } }, { createdAt, _id: { $gt: _id } }],
  }
}

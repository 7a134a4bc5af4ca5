import type { Model, mongo } from 'mongoose'
import { nativeCollection } from './collection.ts'

/** Lists are sorted by these fields. */
export interface Listed {
  _id: string
  createdAt: Date
}

/**
 * Selects documents in an index that match `where` and were created before `before`. If `from` isn't null, they must
 * also be from `from` or later.
 */
export interface Walk {
  /** The last two fields of this index must be `createdAt` and `_id`. */
  index: string
  where: Record<string, unknown>
  from: Date | null
  before: Date
}

export interface PageSize {
  documents: number
  projection: Record<string, 0 | 1>
  /**
   * MongoDB aborts the read after this time. It must be less than the driver's 5 s, so that MongoDB doesn't go on with
   * a read whose result no one needs.
   */
  maxTimeMS: number
}

/** Returns the oldest first, starting after `last`, or with the first document if it's null. */
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

/** Matches what comes after `last`: documents created later, and those with the same `createdAt` and a higher `_id`. */
function span(from: Date | null, before: Date, last: Listed | null): Record<string, unknown> {
  if (last === null) return { createdAt: { ...(from === null ? {} : { $gte: from }), $lt: before } }
  const { createdAt, _id } = last
  return {
    createdAt: { $gte: createdAt, $lt: before },
    $or: [{ createdAt: { $gt: createdAt } }, { createdAt, _id: { $gt: _id } }],
  }
}

import type { Model, mongo } from 'mongoose'
import { nativeCollection } from './collection.ts'

/** What lists are sorted by. */
export interface Listed {
  _id: string
  createdAt: Date
}

/** Documents of an index that match `where`, created before `before` and, unless null, at or after `from`. */
export interface Walk {
  /** Its last two fields must be `createdAt` and `_id`. */
  index: string
  where: Record<string, unknown>
  from: Date | null
  before: Date
}

export interface PageSize {
  documents: number
  projection: Record<string, 0 | 1>
  /**
   * MongoDB aborts the read after this. Stay below the driver's 5 s, or MongoDB goes on with a read that no one needs.
   */
  maxTimeMS: number
}

/** Oldest first, starting after `last`, or at the beginning if null. */
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

/** Documents after `last`: later ones, and those with the same `createdAt` and a higher `_id`. */
function span(from: Date | null, before: Date, last: Listed | null): Record<string, unknown> {
  if (last === null) return { createdAt: { ...(from === null ? {} : { $gte: from }), $lt: before } }
  const { createdAt, _id } = last
  return {
    createdAt: { $gte: createdAt, $lt: before },
    $or: [{ createdAt: { $gt: createdAt } }, { createdAt, _id: { $gt: _id } }],
  }
}

import type { Model, mongo } from 'mongoose'
import { nativeCollection } from './collection.ts'

/** Lists are sorted by these fields. */
export interface Listed {
  _id: string
  createdAt: Date
}

/** Matches `where`, created before `before` and, if `from` isn't null, not before `from`. */
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
  /** Must be less than the driver's 5 s, or MongoDB would go on with a read whose result no one needs. */
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

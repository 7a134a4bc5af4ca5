import type { Model, mongo } from 'mongoose'
import type { Listed } from '../input/pagination.ts'
import { nativeCollection } from './collection.ts'

/** All documents that an index has under `where`, created from `from` on (null: ever) and before `before`. */
export interface Walk {
  /** Ends in time and id. */
  index: string
  where: Record<string, unknown>
  from: Date | null
  before: Date
}

/** What one read of a walk returns. */
export interface PageSize {
  documents: number
  projection: Record<string, 0 | 1>
  /** MongoDB aborts the read after this. Less than the 5 s after which the driver gives up, so that no read runs on without a client. */
  maxTimeMS: number
}

/** The page of a walk that follows the document `last` (null: the first page), oldest first. */
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

/** The remaining time range. Within the millisecond of the last document, which many may share, only those with a higher id. */
function span(from: Date | null, before: Date, last: Listed | null): Record<string, unknown> {
  if (last === null) return { createdAt: { ...(from === null ? {} : { $gte: from }), $lt: before } }
  const { createdAt, _id } = last
  return {
    createdAt: { $gte: createdAt, $lt: before },
    $or: [{ createdAt: { $gt: createdAt } }, { createdAt, _id: { $gt: _id } }],
  }
}

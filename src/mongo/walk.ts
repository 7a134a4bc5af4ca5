import type { Model, mongo } from 'mongoose'
import { nativeCollection } from './collection.ts'

/** The document fields by which lists are sorted. */
export interface Listed {
  _id: string
  createdAt: Date
}

/**
 * A walk through the documents in an index that match `where` and were created at or after `from` and before `before`,
 * unless these are null.
 */
export interface Walk {
  /** The name of an index that ends with `createdAt` and `_id`. With any other, MongoDB sorts in memory. */
  index: string
  where: Record<string, unknown>
  from: Date | null
  before: Date | null
}

/** The limits on reading one page of a walk. */
export interface PageSize {
  documents: number
  projection: Record<string, 0 | 1>
  /**
   * MongoDB aborts the read after this time. The time must be less than the 5 s after which the driver gives up, so
   * that MongoDB does not continue a read whose result is no longer needed.
   */
  maxTimeMS: number
}

/**
 * Returns the next page of a walk, oldest first. The page begins after `last`, or with the first document if `last` is
 * null.
 */
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
 * Returns a filter for the documents that remain after `last`. Of the documents with the same `createdAt` as `last`,
 * only those with a higher `_id` remain. With `$or`, MongoDB would read some filters' range of the index twice.
 */
function span(from: Date | null, before: Date | null, last: Listed | null): Record<string, unknown> {
  const $gte = last !== null && (from === null || last.createdAt > from) ? last.createdAt : from
  const bounds = { ...($gte !== null && { $gte }), ...(before !== null && { $lt: before }) }
  return {
    ...($gte !== null || before !== null ? { createdAt: bounds } : {}),
    ...(last !== null && { $nor: [{ createdAt: last.createdAt, _id: { $lte: last._id } }] }),
  }
}

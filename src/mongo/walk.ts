import type { Model, mongo } from 'mongoose'
import { nativeCollection } from './collection.ts'

/** Lists are sorted by these fields. */
export interface Listed {
  _id: string
  createdAt: Date
}

export interface Order {
  time: string
  tie?: string
}
export const byCreation: Order = { time: 'createdAt', tie: '_id' }

/** Matches `where`, created before `before` and not before `from`, unless these are null. */
export interface Walk {
  /** Should end with `createdAt` and `_id`. With any other index, MongoDB sorts in memory. */
  index: string
  /** The last fields of the index: a time, and what tells documents of the same time apart. */
  order?: Order
  where: Record<string, unknown>
  from: Date | null
  before: Date | null
}

export interface PageSize {
  documents: number
  projection: Record<string, 0 | 1>
  /** Must be less than the driver's 5 s, or MongoDB would go on with a read whose result no one needs. */
  maxTimeMS: number
}

/** Returns the oldest first, starting after `last`, or with the first document if it's null. */
export function readPage<Doc extends Listed>(
  model: Model<Doc>,
  walk: Walk,
  last: object | null,
  { documents, projection, maxTimeMS }: PageSize,
): Promise<Doc[]> {
  const { index, where, order = byCreation } = walk
  const found = nativeCollection(model).find({ ...where, ...span(order, walk, last) } as mongo.Filter<Doc>, {
    hint: index,
    sort: sortBy(order),
    limit: documents,
    batchSize: documents,
    singleBatch: true,
    projection,
    maxTimeMS,
  })
  return found.toArray() as Promise<Doc[]>
}

/** Returns a sort by these fields, which also serves as a projection. */
export const sortBy = ({ time, tie }: Order): Record<string, 1> => ({ [time]: 1, ...(tie && { [tie]: 1 }) })

/**
 * Matches what comes after `last` in the index, also among documents of the same time. With `$or`, MongoDB would read
 * some filters' range of the index twice.
 */
function span(
  { time, tie = '_id' }: Order,
  { from, before }: Walk,
  last: object | null,
): Record<string, unknown> {
  const { [time]: at, [tie]: reached } = (last ?? {}) as Record<string, Date>
  const $gte = at !== undefined && (from === null || at > from) ? at : from
  const bounds = { ...($gte !== null && { $gte }), ...(before !== null && { $lt: before }) }
  return {
    ...($gte !== null || before !== null ? { [time]: bounds } : {}),
    ...(last !== null && { $nor: [{ [time]: at, [tie]: { $lte: reached } }] }),
  }
}

import type { Model, mongo } from 'mongoose'
import { rawCollection } from './collection.ts'

export interface DatedDocument {
  _id: string
  createdAt: Date
}

export interface WalkOrder {
  time: string
  tie?: string
}
export const creationOrder: WalkOrder = { time: 'createdAt', tie: '_id' }

export interface IndexWalk {
  /** If it doesn't end with the fields of `order`, MongoDB sorts in memory. */
  index: string
  order?: WalkOrder
  where: Record<string, unknown>
  from: Date | null
  before: Date | null
}

export interface WalkPageSize {
  documents: number
  projection: Record<string, 0 | 1>
  maxTimeMS: number
}

export function readWalkPage<Doc extends DatedDocument>(
  model: Model<Doc>,
  walk: IndexWalk,
  last: object | null,
  { documents, projection, maxTimeMS }: WalkPageSize,
): Promise<Doc[]> {
  const { index, where, order = creationOrder } = walk
  const found = rawCollection(model).find({ ...where, ...span(order, walk, last) } as mongo.Filter<Doc>, {
    hint: index,
    sort: toMongoSort(order),
    limit: documents,
    batchSize: documents,
    singleBatch: true,
    projection,
    maxTimeMS,
  })
  return found.toArray() as Promise<Doc[]>
}

export const toMongoSort = ({ time, tie }: WalkOrder): Record<string, 1> => ({
  [time]: 1,
  ...(tie && { [tie]: 1 }),
})

/** With `$or` instead of `$nor`, MongoDB would read some ranges twice. */
function span({ time, tie = '_id' }: WalkOrder, { from, before }: IndexWalk, last: object | null) {
  const { [time]: at, [tie]: reached } = (last ?? {}) as Record<string, Date>
  const $gte = at !== undefined && (from === null || at > from) ? at : from
  const bounds = { ...($gte !== null && { $gte }), ...(before !== null && { $lt: before }) }
  return {
    ...($gte !== null || before !== null ? { [time]: bounds } : {}),
    ...(last !== null && { $nor: [{ [time]: at, [tie]: { $lte: reached } }] }),
  }
}

import type { Model, mongo } from 'mongoose'
import { pastMongoose } from '../collection.ts'
import { batchLimits } from './batch.ts'
import type { Pace } from './pace.ts'

/** What a page says of each document: the index has it, and none is read. */
export interface Listed {
  _id: string
  createdAt: Date
}

/** What is gone through: all that an index has under `where`, made from `from` on (null: ever) and before `before`. */
export interface Walk {
  index: string
  where: Record<string, unknown>
  from: Date | null
  before: Date
}

/**
 * Goes through documents by an index that ends in time and id, oldest first, a batch at a time, and hands their ids to `act`. Whether one
 * is to be touched is judged there: a judgement here would have MongoDB look for a whole batch of them, however long that takes.
 */
export async function eachPage<Doc extends Listed>(
  pace: Pace,
  model: Model<Doc>,
  { index, where, from, before }: Walk,
  act: (ids: string[]) => Promise<void>,
): Promise<void> {
  const collection = pastMongoose(model as unknown as Model<Listed>)
  let last: Listed | null = null
  for (;;) {
    const filter = { ...where, ...span(from, before, last) } as mongo.Filter<Listed>
    const page: Listed[] = await pace(async () => {
      const found = await collection
        .find(filter, {
          hint: index,
          sort: { createdAt: 1, _id: 1 },
          limit: batchLimits.documents,
          projection: { createdAt: 1 },
          maxTimeMS: batchLimits.maxTimeMS,
        })
        .toArray()
      if (found.length > 0) await act(found.map(({ _id }) => _id))
      return found
    })
    last = page.at(-1) ?? null
    if (last === null || page.length < batchLimits.documents) return
  }
}

/** The time that is left to go through; of one millisecond, in which many are made, those after the last. */
function span(from: Date | null, before: Date, last: Listed | null): Record<string, unknown> {
  if (last === null) return { createdAt: { ...(from === null ? {} : { $gte: from }), $lt: before } }
  const { createdAt, _id } = last
  return {
    createdAt: { $gte: createdAt, $lt: before },
    $or: [{ createdAt: { $gt: createdAt } }, { createdAt, _id: { $gt: _id } }],
  }
}

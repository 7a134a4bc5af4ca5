import { longestReadMs } from '../../input/pagination.ts'
import type { Mark } from './checkpoint.ts'
import { type Countable, countMade } from './countable.ts'

/**
 * Counts on from the last of the marks until an instant, a stride at a time, each in two short reads of an index. A mark counts as soon as
 * it is there: what fails in between is gone on with next time.
 */
export async function countOn(
  marks: Mark[],
  countable: Countable,
  until: Date,
  stride: number,
): Promise<void> {
  for (let step = stride; ; ) {
    const last = marks.at(-1)
    if (last === undefined) return
    const next = await createdAfter(countable, last.at, until, step)
    if (next === null) return
    // So many in one millisecond that a stride does not lead out of it.
    if (next.getTime() === last.at) step *= 2
    else {
      const more = await countMade(
        countable,
        { $gte: new Date(last.at), $lt: next },
        Number.POSITIVE_INFINITY,
      )
      marks.push({ at: next.getTime(), made: last.made + more })
      step = stride
    }
  }
}

/** When the one was made that stands that many after an instant; null where there are not so many. */
async function createdAfter(
  { collection, index, where }: Countable,
  from: number,
  until: Date,
  places: number,
): Promise<Date | null> {
  const [found] = await collection
    .find<{ createdAt: Date }>(
      { ...where, createdAt: { $gte: new Date(from), $lt: until } },
      {
        projection: { _id: 0, createdAt: 1 },
        hint: index,
        sort: { createdAt: 1, _id: 1 },
        skip: places,
        limit: 1,
        maxTimeMS: longestReadMs,
      },
    )
    .toArray()
  return found?.createdAt ?? null
}

import { longestReadMs } from '../../input/pagination.ts'
import type { Checkpoint } from './checkpoint.ts'
import { type Countable, countCreated } from './countable.ts'

/**
 * Adds checkpoints up to `endsBefore`, usually one for every `stride` items. `checkpoints` must contain at least one.
 * Each checkpoint takes two short index reads. Completed checkpoints are kept, so after a failure, the next call
 * continues from the last completed checkpoint.
 */
export async function extendCheckpoints(
  checkpoints: Checkpoint[],
  countable: Countable,
  endsBefore: Date,
  stride: number,
): Promise<void> {
  for (let step = stride; ; ) {
    const last = checkpoints.at(-1) as Checkpoint
    const next = await createdAfter(countable, last.at, endsBefore, step)
    if (next === null) return
    // More than `step` items were created in the same millisecond, so a larger step is needed.
    if (next.getTime() === last.at) step *= 2
    else {
      const more = await countCreated(countable, { $gte: new Date(last.at), $lt: next })
      checkpoints.push({ at: next.getTime(), count: last.count + more })
      step = stride
    }
  }
}

/**
 * Skips `skip` of the items created at or after `from`, and returns the creation time of the next item. Returns null if
 * there is no such item.
 */
async function createdAfter(
  { collection, index, where }: Countable,
  from: number,
  endsBefore: Date,
  skip: number,
): Promise<Date | null> {
  const [found] = await collection
    .find<{ createdAt: Date }>(
      { ...where, createdAt: { $gte: new Date(from), $lt: endsBefore } },
      {
        projection: { _id: 0, createdAt: 1 },
        hint: index,
        sort: { createdAt: 1, _id: 1 },
        skip,
        limit: 1,
        maxTimeMS: longestReadMs,
      },
    )
    .toArray()
  return found?.createdAt ?? null
}

import type { Model } from 'mongoose'
import type { Config } from '../config/config.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Listed } from '../mongo/walk.ts'
import { type Checkpoint, type ListCheckpoints, settled, writtenBefore } from './checkpoint.ts'
import { longestReadMs } from './pagination.ts'

/**
 * A list whose items can be counted with checkpoints. An item that matches `where` must continue to match `where`
 * forever. After the fields of `where`, the index must contain the creation time and id.
 */
export interface Countable {
  /** Identifies the list within a process. The key consists of the owner, the environment and the kind of item. */
  key: string
  collection: Model<Listed>['collection']
  index: string
  where: Record<string, unknown>
  /** Items created before this time may have been removed. If null, no items are removed. */
  keptFrom: Date | null
  /**
   * Returns the time before which all items have been inserted, or null if no insert is late. Only collections whose
   * items may be inserted long after their creation time need this function.
   */
  completeBefore?(): Promise<Date | null>
}

/** One environment of one business. */
export interface Owner {
  businessId: string
  sandbox: boolean
}

export const keyOf = (collection: string, { businessId, sandbox }: Owner): string =>
  `${collection} ${businessId} ${sandbox}`

/** The safety margin for clock skew, which is many times the actual skew between two processes. */
const marginMs = 60_000

/**
 * The intents or the orders of one environment. The clean-up removes test ones that were created before its cutoff. The
 * safety margin is added to it.
 */
export const allOf = (
  { now, config }: { now(): Date; config: Pick<Config, 'sandboxRetentionMs'> },
  collection: Countable['collection'],
  { businessId, sandbox }: Owner,
): Countable => ({
  key: keyOf(collection.name, { businessId, sandbox }),
  collection,
  index: 'byTime',
  where: { businessId, sandbox },
  keptFrom: sandbox ? new Date(now().getTime() - config.sandboxRetentionMs + marginMs) : null,
})

/**
 * Counts the items whose creation time matches the filter `createdAt`, up to `limit`. An empty filter matches all
 * items.
 */
export const countCreated = (
  { collection, index, where }: Countable,
  createdAt: Record<string, Date>,
  limit?: number,
): Promise<number> =>
  collection.countDocuments(
    { ...where, ...(Object.keys(createdAt).length === 0 ? {} : { createdAt }) },
    { hint: index, maxTimeMS: longestReadMs, ...(limit !== undefined && { limit }) },
  )

/**
 * The count checkpoints of long lists, kept in memory. Each checkpoint states how many items were created between the
 * list's first checkpoint and a certain time.
 */
export type ListCounts = ReturnType<typeof createListCounts>

interface ListCount {
  checkpoints: Checkpoint[]
  countedAtMs: number
}

/**
 * Counts younger than this are reused without an update. Recounting the last hour of the busiest list takes a few
 * tenths of a second.
 */
const freshMs = 60_000

/**
 * Creates the store for checkpoints. `elapsedMs` must be a monotonic clock. If there are more than `maxCheckpoints`,
 * the checkpoints of the least recently used lists are dropped.
 */
export function createListCounts(
  model: Model<ListCheckpoints>,
  elapsedMs: () => number,
  { stride, maxCheckpoints }: { stride: number; maxCheckpoints: number },
) {
  /** The lists in order of use. The most recently used list is last. */
  const listCounts = new Map<string, ListCount>()
  const counting = new Map<string, Promise<Checkpoint[]>>()

  function touch(key: string): ListCount {
    const listCount = listCounts.get(key) ?? { checkpoints: [], countedAtMs: Number.NEGATIVE_INFINITY }
    listCounts.delete(key)
    listCounts.set(key, listCount)
    return listCount
  }

  async function count(countable: Countable, now: Date): Promise<Checkpoint[]> {
    const listCount = touch(countable.key)
    const { keptFrom } = countable
    const beganAtMs = elapsedMs()
    listCount.checkpoints = settled(listCount.checkpoints, keptFrom, now)
    if (listCount.checkpoints.length === 0) {
      const stored = await nativeCollection(model).findOne({ _id: countable.key })
      listCount.checkpoints = settled(stored?.checkpoints ?? [], keptFrom, now)
    }
    // Items that were created before the first checkpoint may have been removed, so they are recounted each time.
    if (listCount.checkpoints.length === 0) listCount.checkpoints.push({ at: keptFrom?.getTime() ?? 0, count: 0 })
    try {
      const complete = (await countable.completeBefore?.()) ?? now
      const endsBefore = new Date(Math.min(complete.getTime(), writtenBefore(now).getTime()))
      await extendCheckpoints(listCount.checkpoints, countable, endsBefore, stride)
    } finally {
      dropUnused()
    }
    await store(model, countable, settled(listCount.checkpoints, keptFrom, now), now)
    listCount.countedAtMs = beganAtMs
    return listCount.checkpoints
  }

  function dropUnused(): void {
    let all = 0
    for (const listCount of listCounts.values()) all += listCount.checkpoints.length
    for (const [key, listCount] of listCounts) {
      if (all <= maxCheckpoints) return
      listCounts.delete(key)
      all -= listCount.checkpoints.length
    }
  }

  /** Runs at most one count of each list at a time. Concurrent callers share the result. */
  function update(countable: Countable, now: Date): Promise<Checkpoint[]> {
    const { key } = countable
    const running = counting.get(key) ?? count(countable, now).finally(() => counting.delete(key))
    counting.set(key, running)
    return running
  }

  return {
    /** The number of items between two checkpoints. A list with no more items than this has no checkpoints. */
    stride,
    /** Returns a list's checkpoints, oldest first. The result is empty if the list has not been counted. */
    async checkpointsOf(countable: Countable, now: Date): Promise<readonly Checkpoint[]> {
      const { key, keptFrom } = countable
      if (!listCounts.has(key)) return []
      const listCount = touch(key)
      const isFresh = elapsedMs() - listCount.countedAtMs <= freshMs
      const checkpoints = isFresh ? listCount.checkpoints : await update(countable, now)
      return keptFrom === null ? checkpoints : checkpoints.filter(({ at }) => at >= keptFrom.getTime())
    },
    /** Counts new items, recounts the last hour and returns the list's checkpoints. */
    update,
  }
}

/**
 * Adds checkpoints up to `endsBefore`, usually one for every `stride` items. `checkpoints` must contain at least one.
 * Each checkpoint takes two short index reads. Completed checkpoints are kept, so after a failure, the next call
 * continues from the last completed checkpoint.
 */
async function extendCheckpoints(
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

/** Stores what another process has not stored yet. Only time is lost if that fails. */
async function store(
  model: Model<ListCheckpoints>,
  { key: _id }: Countable,
  checkpoints: Checkpoint[],
  countedAt: Date,
): Promise<void> {
  const through = checkpoints.at(-1)?.at ?? 0
  if (checkpoints.length < 2) return
  await nativeCollection(model)
    .updateOne(
      { _id, through: { $not: { $gte: through } } },
      { $set: { checkpoints, through }, $setOnInsert: { countedAt } },
      { upsert: true },
    )
    .catch(() => undefined)
}

/** Forgets the stored counts of test data that was created before this time, because it is about to be removed. */
export async function forgetStored(model: Model<ListCheckpoints>, businessId: string, before: Date): Promise<void> {
  const keys = ['intents', 'orders'].map((name) => keyOf(name, { businessId, sandbox: true }))
  await nativeCollection(model).updateMany(
    { _id: { $in: keys } },
    { $pull: { checkpoints: { at: { $lt: before.getTime() } } } },
  )
}

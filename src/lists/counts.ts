import type { Model } from 'mongoose'
import type { Config } from '../config/config.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Listed } from '../mongo/walk.ts'
import { type Checkpoint, type ListCheckpoints, settledCheckpoints, writtenBefore } from './checkpoint.ts'
import { longestReadMs } from './pagination.ts'

/**
 * A list that can be counted with checkpoints. An item that matches `where` must match for ever. After the fields of
 * `where`, the index must contain the creation time and the id.
 */
export interface Countable {
  /** Unique within a process. It names the owner, the environment and the kind of item. */
  key: string
  collection: Model<Listed>['collection']
  index: string
  where: Record<string, unknown>
  /** Older items may have been removed. Null means that none are. */
  keptFrom: Date | null
  /**
   * Returns the time before which all items have been inserted, or null if no insert is late. Only collections that
   * insert items long after their creation time need this.
   */
  completeBefore?(): Promise<Date | null>
}

export interface Owner {
  businessId: string
  sandbox: boolean
}

export const listKeyOf = (collection: string, { businessId, sandbox }: Owner): string =>
  `${collection} ${businessId} ${sandbox}`

/** Makes up for clock skew, and is many times the actual skew between two processes. */
const marginMs = 60_000

/** Selects all intents or orders of one environment. `keptFrom` is set because the clean-up removes old test ones. */
export const countableOf = (
  { now, config }: { now(): Date; config: Pick<Config, 'sandboxRetentionMs'> },
  collection: Countable['collection'],
  { businessId, sandbox }: Owner,
): Countable => ({
  key: listKeyOf(collection.name, { businessId, sandbox }),
  collection,
  index: 'byTime',
  where: { businessId, sandbox },
  keptFrom: sandbox ? new Date(now().getTime() - config.sandboxRetentionMs + marginMs) : null,
})

/** Counts up to `limit`. An empty `createdAt` matches all items. */
export const countCreated = (
  { collection, index, where }: Countable,
  createdAt: Record<string, Date>,
  limit?: number,
): Promise<number> =>
  collection.countDocuments(
    { ...where, ...(Object.keys(createdAt).length === 0 ? {} : { createdAt }) },
    { hint: index, maxTimeMS: longestReadMs, ...(limit !== undefined && { limit }) },
  )

/** The count checkpoints of long lists, in memory. */
export type ListCounts = ReturnType<typeof createListCounts>

interface ListCount {
  checkpoints: Checkpoint[]
  countedAtMs: number
}

/** Counts younger than this are reused. Recounting the last hour of the busiest list takes a few tenths of a second. */
const freshMs = 60_000

/** `elapsedMs` must be a monotonic clock. Beyond `maxCheckpoints`, the least recently used lists are dropped. */
export function createListCounts(
  model: Model<ListCheckpoints>,
  elapsedMs: () => number,
  { itemsPerCheckpoint, maxCheckpoints }: { itemsPerCheckpoint: number; maxCheckpoints: number },
) {
  /** The most recently used list is last. */
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
    listCount.checkpoints = settledCheckpoints(listCount.checkpoints, keptFrom, now)
    if (listCount.checkpoints.length === 0) {
      const stored = await nativeCollection(model).findOne({ _id: countable.key })
      listCount.checkpoints = settledCheckpoints(stored?.checkpoints ?? [], keptFrom, now)
    }
    // Items created before the first checkpoint may be gone, so they are recounted each time.
    if (listCount.checkpoints.length === 0)
      listCount.checkpoints.push({ at: keptFrom?.getTime() ?? 0, count: 0 })
    try {
      const complete = (await countable.completeBefore?.()) ?? now
      const endsBefore = new Date(Math.min(complete.getTime(), writtenBefore(now).getTime()))
      await extendCheckpoints(listCount.checkpoints, countable, endsBefore, itemsPerCheckpoint)
    } finally {
      dropUnused()
    }
    await store(model, countable, settledCheckpoints(listCount.checkpoints, keptFrom, now), now)
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

  /** Counts each list at most once at a time. Concurrent callers share the result. */
  function update(countable: Countable, now: Date): Promise<Checkpoint[]> {
    const { key } = countable
    const running = counting.get(key) ?? count(countable, now).finally(() => counting.delete(key))
    counting.set(key, running)
    return running
  }

  return {
    /** A list with no more items than this has no checkpoints. */
    itemsPerCheckpoint,
    /** Returns the oldest first, and nothing if the list hasn't been counted. */
    async checkpointsOf(countable: Countable, now: Date): Promise<readonly Checkpoint[]> {
      const { key, keptFrom } = countable
      if (!listCounts.has(key)) return []
      const listCount = touch(key)
      const isFresh = elapsedMs() - listCount.countedAtMs <= freshMs
      const checkpoints = isFresh ? listCount.checkpoints : await update(countable, now)
      return keptFrom === null ? checkpoints : checkpoints.filter(({ at }) => at >= keptFrom.getTime())
    },
    /** Counts new items, recounts the last hour and returns the checkpoints. */
    update,
  }
}

/**
 * Adds checkpoints up to `endsBefore`; each takes two short index reads. After a failure, the next call continues from
 * the last one. `checkpoints` must not be empty.
 */
async function extendCheckpoints(
  checkpoints: Checkpoint[],
  countable: Countable,
  endsBefore: Date,
  itemsPerCheckpoint: number,
): Promise<void> {
  for (let step = itemsPerCheckpoint; ; ) {
    const last = checkpoints.at(-1) as Checkpoint
    const next = await createdAfter(countable, last.at, endsBefore, step)
    if (next === null) return
    // More than `step` items were created in this millisecond.
    if (next.getTime() === last.at) step *= 2
    else {
      const more = await countCreated(countable, { $gte: new Date(last.at), $lt: next })
      checkpoints.push({ at: next.getTime(), count: last.count + more })
      step = itemsPerCheckpoint
    }
  }
}

/** Skips `skip` items from `from` on, and returns the creation time of the next one, or null. */
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

/** Stores nothing if another process has stored as much. A failure only costs time. */
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

/** Forgets counts of test data from before this time, because it's about to be removed. */
export async function forgetStored(
  model: Model<ListCheckpoints>,
  businessId: string,
  before: Date,
): Promise<void> {
  const keys = ['intents', 'orders'].map((name) => listKeyOf(name, { businessId, sandbox: true }))
  await nativeCollection(model).updateMany(
    { _id: { $in: keys } },
    { $pull: { checkpoints: { at: { $lt: before.getTime() } } } },
  )
}

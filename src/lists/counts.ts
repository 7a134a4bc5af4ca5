import type { Model } from 'mongoose'
import type { Config } from '../config/config.ts'
import { rawCollection } from '../mongo/collection.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import { date, list, part, text, type ValueOfField, whole } from '../mongo/fields.ts'
import type { DatedDocument } from '../mongo/walk.ts'
import { maxListReadMs } from './pagination.ts'

/** `count` is the number of items from the first checkpoint to `at`. */
const checkpointFields = part({ at: whole, count: whole })
export type CountCheckpoint = ValueOfField<typeof checkpointFields>

/** Lists are recounted after a week, because an item may arrive hours late. */
export const storedCheckpoints = declareCollection({
  name: 'listcheckpoints',
  kept: 'until it expires after a week',
  fields: { _id: text, checkpoints: list(checkpointFields), through: whole, countedAt: date },
  indexes: [{ name: 'removal', key: { countedAt: 1 }, expireAfterSeconds: 7 * 86_400 }],
})
export type ListCheckpoints = Stored<typeof storedCheckpoints>

const itemsPerCheckpoint = 2_000

/** Enough for 500 million documents. Takes about 15 MB. */
const maxCheckpoints = 250_000

/** Many times the limits for requests (8 s) and MongoDB commands (5 s). */
const maxDelayMs = 300_000

/** Everything older is in MongoDB, unless a process was frozen. */
export const allWrittenBefore = (now: Date): Date => new Date(now.getTime() - maxDelayMs)

/** A frozen process may insert items late, but rarely by over an hour. */
const unsettledMs = 3_600_000

const settledCheckpoints = (checkpoints: readonly CountCheckpoint[], keptFrom: Date | null, now: Date) =>
  checkpoints.filter(({ at }) => at >= (keptFrom?.getTime() ?? 0) && at <= now.getTime() - unsettledMs)

/** An item that matches `where` must always match it. */
export interface CountableList {
  key: string
  collection: Model<DatedDocument>['collection']
  index: string
  where: Record<string, unknown>
  keptFrom: Date | null
  /** Everything created before this time has been inserted. */
  completeBefore?(): Promise<Date | null>
}

interface ListOwner {
  businessId: string
  sandbox: boolean
}

const listKeyOf = (collection: string, { businessId, sandbox }: ListOwner): string =>
  `${collection} ${businessId} ${sandbox}`

/** Many times the clock skew between two processes. */
const marginMs = 60_000

export const toCountableList = (
  { now, config }: { now(): Date; config: Pick<Config, 'sandboxRetentionMs'> },
  collection: CountableList['collection'],
  { businessId, sandbox }: ListOwner,
): CountableList => ({
  key: listKeyOf(collection.name, { businessId, sandbox }),
  collection,
  index: 'byTime',
  where: { businessId, sandbox },
  keptFrom: sandbox ? new Date(now().getTime() - config.sandboxRetentionMs + marginMs) : null,
})

export const countListItems = (
  { collection, index, where }: CountableList,
  createdAt: Record<string, Date>,
  limit?: number,
): Promise<number> =>
  collection.countDocuments(
    { ...where, ...(Object.keys(createdAt).length === 0 ? {} : { createdAt }) },
    { hint: index, maxTimeMS: maxListReadMs, ...(limit !== undefined && { limit }) },
  )

export type ListCounts = ReturnType<typeof createListCounts>

interface ListCount {
  checkpoints: CountCheckpoint[]
  countedAtMs: number
}

/** Recounting a busy list's last hour takes a few tenths of a second. */
const freshMs = 60_000

/** Above `maxCheckpoints`, drops the least recently used lists. */
export function createListCounts(
  model: Model<ListCheckpoints>,
  elapsedMs: () => number,
  limits = { itemsPerCheckpoint, maxCheckpoints },
) {
  const listCounts = new Map<string, ListCount>()
  const counting = new Map<string, Promise<CountCheckpoint[]>>()

  function touch(key: string): ListCount {
    const listCount = listCounts.get(key) ?? { checkpoints: [], countedAtMs: -Infinity }
    listCounts.delete(key)
    listCounts.set(key, listCount)
    return listCount
  }

  async function count(countable: CountableList, now: Date): Promise<CountCheckpoint[]> {
    const listCount = touch(countable.key)
    const { keptFrom } = countable
    const beganAtMs = elapsedMs()
    listCount.checkpoints = settledCheckpoints(listCount.checkpoints, keptFrom, now)
    if (listCount.checkpoints.length === 0) {
      const stored = await rawCollection(model).findOne({ _id: countable.key })
      listCount.checkpoints = settledCheckpoints(stored?.checkpoints ?? [], keptFrom, now)
    }
    // Items created before the first checkpoint are recounted each time.
    if (listCount.checkpoints.length === 0)
      listCount.checkpoints.push({ at: keptFrom?.getTime() ?? 0, count: 0 })
    try {
      const complete = (await countable.completeBefore?.()) ?? now
      const endsBefore = new Date(Math.min(complete.getTime(), allWrittenBefore(now).getTime()))
      await extendCheckpoints(listCount.checkpoints, countable, endsBefore, limits.itemsPerCheckpoint)
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
      if (all <= limits.maxCheckpoints) return
      listCounts.delete(key)
      all -= listCount.checkpoints.length
    }
  }

  function update(countable: CountableList, now: Date): Promise<CountCheckpoint[]> {
    const { key } = countable
    const running = counting.get(key) ?? count(countable, now).finally(() => counting.delete(key))
    counting.set(key, running)
    return running
  }

  return {
    /** Shorter lists have no checkpoints. */
    itemsPerCheckpoint: limits.itemsPerCheckpoint,
    /** Returns the oldest first, or none if the list hasn't been counted. */
    async checkpointsOf(countable: CountableList, now: Date): Promise<readonly CountCheckpoint[]> {
      const { key, keptFrom } = countable
      if (!listCounts.has(key)) return []
      const listCount = touch(key)
      const isFresh = elapsedMs() - listCount.countedAtMs <= freshMs
      const checkpoints = isFresh ? listCount.checkpoints : await update(countable, now)
      return keptFrom === null ? checkpoints : checkpoints.filter(({ at }) => at >= keptFrom.getTime())
    },
    update,
  }
}

/** After a failure, the next call continues where this one stopped. */
async function extendCheckpoints(
  checkpoints: CountCheckpoint[],
  countable: CountableList,
  endsBefore: Date,
  stepSize: number,
): Promise<void> {
  for (let step = stepSize; ; ) {
    const last = checkpoints.at(-1) as CountCheckpoint
    const next = await createdAfter(countable, last.at, endsBefore, step)
    if (next === null) return
    // More than `step` items were created in this millisecond.
    if (next.getTime() === last.at) step *= 2
    else {
      const more = await countListItems(countable, { $gte: new Date(last.at), $lt: next })
      checkpoints.push({ at: next.getTime(), count: last.count + more })
      step = stepSize
    }
  }
}

async function createdAfter(
  { collection, index, where }: CountableList,
  from: number,
  endsBefore: Date,
  skip: number,
): Promise<Date | null> {
  const range = { sort: { createdAt: 1, _id: 1 }, skip } as const
  const options = { projection: { _id: 0, createdAt: 1 }, hint: index, ...range, maxTimeMS: maxListReadMs }
  const created = { ...where, createdAt: { $gte: new Date(from), $lt: endsBefore } }
  const found = await collection.findOne<{ createdAt: Date }>(created, options)
  return found?.createdAt ?? null
}

/** Ignores errors, because a lost checkpoint only costs time. */
async function store(
  model: Model<ListCheckpoints>,
  { key: _id }: CountableList,
  checkpoints: CountCheckpoint[],
  countedAt: Date,
): Promise<void> {
  const through = checkpoints.at(-1)?.at ?? 0
  if (checkpoints.length < 2) return
  await rawCollection(model)
    .updateOne(
      { _id, through: { $not: { $gte: through } } },
      { $set: { checkpoints, through }, $setOnInsert: { countedAt } },
      { upsert: true },
    )
    .catch(() => undefined)
}

export async function deleteCheckpoints(model: Model<ListCheckpoints>, businessId: string, before: Date) {
  const keys = ['intents', 'orders'].map((name) => listKeyOf(name, { businessId, sandbox: true }))
  const gone = { checkpoints: { at: { $lt: before.getTime() } } }
  await rawCollection(model).updateMany({ _id: { $in: keys } }, { $pull: gone })
}

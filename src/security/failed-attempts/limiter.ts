import type { Deps } from '../../deps.ts'
import { type Batcher, createBatcher, noDeadline } from '../../mongo/batching/batcher.ts'
import { type Collection, isDuplicate } from '../../mongo/collection.ts'

/**
 * The maximum number of points per key within a period, which starts with the key's first point. `name` distinguishes
 * limits that share a collection.
 */
export interface Limit {
  name: string
  max: number
  seconds: number
}

/** The state of a key: the points counted so far, whether the key is open, and how long it stays closed. */
export interface Standing {
  isOpen: boolean
  counted: number
  closedMs: number
}

/**
 * A key's points and the end of its period. The document may outlive the period, because MongoDB deletes expired
 * documents about once a minute.
 */
export interface Stored {
  key: string
  points: number
  expire: Date
}

/**
 * Counts points per key under one limit. Periods use database time, because otherwise a process with a wrong clock
 * would end a period for every process.
 */
export type Limiter = ReturnType<typeof createLimiter>

export function createLimiter(
  deps: Pick<Deps, 'mongo' | 'now'>,
  collection: Collection,
  { name, max, seconds }: Limit,
) {
  const stored = deps.mongo.collection<Stored>(collection.name)
  const endOf = (from: Date): Date => new Date(from.getTime() + seconds * 1000)
  const storedKey = (key: string): string => `${name}:${key}`

  /** Adds points. If the key has no current period, a new one starts. */
  async function add(key: string, points: number): Promise<Stored> {
    const now = deps.now()
    // The condition is also true for a new document, because a missing field sorts before any date.
    const isOver = { $lte: ['$expire', now] }
    const change = {
      points: { $cond: [isOver, points, { $add: ['$points', points] }] },
      expire: { $cond: [isOver, endOf(now), '$expire'] },
    }
    const write = () =>
      stored.findOneAndUpdate({ key: storedKey(key) }, [{ $set: change }], {
        upsert: true,
        returnDocument: 'after',
      })
    const after = await write().catch((error: unknown) => {
      // Another process inserted the same key at the same time, so the write now updates that document.
      if (isDuplicate(error)) return write()
      throw error
    })
    if (after === null) throw new Error('MongoDB returned no document for an upsert')
    return after
  }

  const count = createSumBatcher(async (key, times) => {
    const { points, expire } = await add(key, times)
    const leftMs = Math.max(0, expire.getTime() - deps.now().getTime())
    return (position) => {
      const counted = points - times + position
      const isOpen = counted <= max
      return { isOpen, counted, closedMs: isOpen ? 0 : leftMs }
    }
  })
  const take = (key: string, points: number, expire: object) =>
    stored.updateOne({ key: storedKey(key), expire: { $gt: deps.now(), ...expire } }, { $inc: { points: -points } })
  const giveBack = createSumBatcher(async (key, times) => {
    await take(key, times, {})
    return () => undefined
  })
  return {
    max,
    /** The key as stored in the collection. */
    storedKey,
    /**
     * Adds one point to the key. The same write determines whether the key is still within its limit, so concurrent
     * attempts cannot exceed the limit.
     */
    count: (key: string): Promise<Standing> => count(key, noDeadline),
    async add(key: string, points: number): Promise<void> {
      if (points > 0) await add(key, points)
    },
    /** Gives back one point. If it was counted at `countedAt` in a period that has ended, does nothing. */
    async giveBack(key: string, countedAt?: Date): Promise<void> {
      await (countedAt === undefined ? giveBack(key, noDeadline) : take(key, 1, { $lte: endOf(countedAt) }))
    },
    async forget(key: string): Promise<void> {
      await stored.updateOne({ key: storedKey(key) }, { $set: { points: 0 } })
    },
  }
}

/**
 * Combines concurrent calls for the same key into one write, so that each process has at most one write per document in
 * progress. `add` must return a function that maps a call's position in the batch, starting at 1, to the call's result.
 */
const createSumBatcher = <Result>(
  add: (key: string, times: number) => Promise<(position: number) => Result>,
): Batcher<string, Result> =>
  createBatcher(1000, async (keys) => {
    const results = new Map<string, Result[]>()
    const sums = [...Map.groupBy(keys, (key) => key)].map(async ([key, same]) => {
      const resultAt = await add(key, same.length)
      results.set(
        key,
        same.map((_, index) => resultAt(index + 1)),
      )
    })
    await Promise.all(sums)
    return keys.map((key) => results.get(key)?.shift() as Result)
  })

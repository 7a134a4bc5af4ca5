import type { Connection } from 'mongoose'
import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible'
import type { Collection } from './collection.ts'
import { groupBy } from './group-by.ts'
import { createLane, type Lane, noHurry } from './group-commit/lane.ts'
import { createReadLane } from './group-commit/read-lane.ts'

/** How many tries there were within a time, as rate-limiter-flexible keeps it: for all processes, over restarts. */
export const triesCollection = (name: string): Collection => ({
  name,
  fields: { key: String, points: Number, expire: Date },
  indexes: [
    { name: 'key', key: { key: 1 }, unique: true },
    { name: 'expiry', key: { expire: 1 }, expireAfterSeconds: 0 },
  ],
})

/** So many tries of one key, from the first of them on. `name` tells apart what is counted in one collection. */
export interface TriesLimit {
  name: string
  most: number
  seconds: number
}

/** Where a key stands: `counted` so far, closed above the limit, and then for how long. */
export interface TryCount {
  isOpen: boolean
  counted: number
  closedMs: number
}

/** The tries of all keys under one limit. The clock is the library's own. */
export interface Tries {
  /** Counts one in one write, so that of many at once no more get through than the limit lets. */
  count(key: string): Promise<TryCount>
  /** Where the next one would find it; counts nothing. */
  look(key: string): Promise<TryCount>
  /** Counts so many more of a try that turned out to weigh more. */
  add(key: string, more: number): Promise<void>
  /** Takes one back that shall not count. */
  giveBack(key: string): Promise<void>
  forget(key: string): Promise<void>
}

export function createTries(mongo: Connection, collection: Collection, limit: TriesLimit): Tries {
  const limiter = new RateLimiterMongo({
    storeClient: mongo,
    tableName: collection.name,
    disableIndexesCreation: true,
    keyPrefix: limit.name,
    points: limit.most,
    duration: limit.seconds,
  })
  /** One trip for all who look at the same time. What is below the limit is open, whatever the time. */
  const read = createReadLane<{ key: string; points: number }>(
    (keys) =>
      mongo
        .collection<{ key: string; points: number }>(collection.name)
        .find({ key: { $in: keys } }, { projection: { key: 1, points: 1 } })
        .toArray(),
    ({ key }) => [key],
  )
  const standing = (counted: number, msBeforeNext: number): TryCount => {
    const isOpen = counted <= limit.most
    return { isOpen, counted, closedMs: isOpen ? 0 : msBeforeNext }
  }
  const count = createSumLane(async (key, times) => {
    const { consumedPoints, msBeforeNext } = await consume(limiter, key, times)
    return (place) => standing(consumedPoints - times + place, msBeforeNext)
  })
  const giveBack = createSumLane(async (key, times) => {
    await limiter.reward(key, times)
    return () => undefined
  })
  return {
    count: (key) => count(key, noHurry),
    async look(key) {
      const counted = await read(limiter.getKey(key), noHurry)
      if (counted === null || counted.points < limit.most)
        return { isOpen: true, counted: counted?.points ?? 0, closedMs: 0 }
      // It may be over by now: the library knows the time.
      const seen = await limiter.get(key)
      return seen === null
        ? { isOpen: true, counted: 0, closedMs: 0 }
        : { ...standing(seen.consumedPoints + 1, seen.msBeforeNext), counted: seen.consumedPoints }
    },
    async add(key, more) {
      await limiter.penalty(key, more)
    },
    giveBack: (key) => giveBack(key, noHurry),
    async forget(key) {
      await limiter.delete(key)
    },
  }
}

/** The library throws its answer when a limit is passed. */
async function consume(limiter: RateLimiterMongo, key: string, times: number): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key, times)
  } catch (error) {
    if (error instanceof RateLimiterRes) return error
    throw error
  }
}

/** A lane in which all who name the same key at a time are one write. `add` answers what the first, second, … of them is told. */
const createSumLane = <Told>(
  add: (key: string, times: number) => Promise<(place: number) => Told>,
): Lane<string, Told> =>
  createLane(1000, async (keys) => {
    const told = new Map<string, Told[]>()
    const sums = [...groupBy(keys, (key) => key)].map(async ([key, same]) => {
      const tell = await add(key, same.length)
      told.set(
        key,
        same.map((_, index) => tell(index + 1)),
      )
    })
    await Promise.all(sums)
    return keys.map((key) => told.get(key)?.shift() as Told)
  })

/** One key under one of several limits. */
export interface Counted {
  tries: Tries
  key: string
}

/** Counts one try under each limit in turn. Where one is closed it counts under none: who is shut out must not use up what others have. */
export async function countEach(counts: readonly Counted[]): Promise<Pick<TryCount, 'isOpen' | 'closedMs'>> {
  for (const [index, { tries, key }] of counts.entries()) {
    const { isOpen, closedMs } = await tries.count(key)
    if (isOpen) continue
    await giveBackEach(counts.slice(0, index + 1))
    return { isOpen, closedMs }
  }
  return { isOpen: true, closedMs: 0 }
}

/** Counts so many more under each limit. */
export async function addEach(counts: readonly Counted[], more: number): Promise<void> {
  await Promise.all(counts.map(({ tries, key }) => tries.add(key, more)))
}

/** Takes one try back under each limit. */
export async function giveBackEach(counts: readonly Counted[]): Promise<void> {
  await Promise.all(counts.map(({ tries, key }) => tries.giveBack(key)))
}

import type { Connection } from 'mongoose'
import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible'
import type { Collection } from '../collection.ts'
import { groupBy } from '../group-by.ts'
import { createLane, type Lane, noHurry } from '../group-commit/lane.ts'

/** Failed attempts within a period, as rate-limiter-flexible stores them: shared by all processes, kept over restarts. */
export const attemptsCollection = (name: string): Collection => ({
  name,
  fields: { key: String, points: Number, expire: Date },
  indexes: [
    { name: 'key', key: { key: 1 }, unique: true },
    { name: 'expiry', key: { expire: 1 }, expireAfterSeconds: 0 },
  ],
})

/** At most this many points of one key, within a period that starts with its first. `name` separates limits that share a collection. */
export interface Limit {
  name: string
  most: number
  seconds: number
}

/** Where a key stands: `counted` so far, closed above the limit, and then for how long. */
export interface Standing {
  isOpen: boolean
  counted: number
  closedMs: number
}

/** Counts points per key under one limit. The clock is the library's own. */
export interface Limiter {
  most: number
  /** The key as the collection has it. */
  storedKey(key: string): string
  /** Adds one point. The write decides, so concurrent attempts cannot exceed the limit. */
  count(key: string): Promise<Standing>
  /** Whether the key is closed to the next attempt. Counts nothing. */
  look(key: string): Promise<Standing>
  add(key: string, points: number): Promise<void>
  /** Takes one point back. */
  giveBack(key: string): Promise<void>
  forget(key: string): Promise<void>
}

export function createLimiter(mongo: Connection, collection: Collection, limit: Limit): Limiter {
  const limiter = new RateLimiterMongo({
    storeClient: mongo,
    tableName: collection.name,
    disableIndexesCreation: true,
    keyPrefix: limit.name,
    points: limit.most,
    duration: limit.seconds,
  })
  const standing = (counted: number, closedMs: number): Standing => {
    const isOpen = counted <= limit.most
    return { isOpen, counted, closedMs: isOpen ? 0 : closedMs }
  }
  const count = createSumLane(async (key, times) => {
    const { consumedPoints, msBeforeNext } = await consume(limiter, key, times)
    return (position) => standing(consumedPoints - times + position, msBeforeNext)
  })
  const giveBack = createSumLane(async (key, times) => {
    await limiter.reward(key, times)
    return () => undefined
  })
  return {
    most: limit.most,
    storedKey: (key) => limiter.getKey(key),
    count: (key) => count(key, noHurry),
    async look(key) {
      const seen = await limiter.get(key)
      if (seen === null) return { isOpen: true, counted: 0, closedMs: 0 }
      return { ...standing(seen.consumedPoints + 1, seen.msBeforeNext), counted: seen.consumedPoints }
    },
    async add(key, points) {
      if (points > 0) await limiter.penalty(key, points)
    },
    giveBack: (key) => giveBack(key, noHurry),
    async forget(key) {
      await limiter.delete(key)
    },
  }
}

/** The library throws its result when a limit is exceeded. */
async function consume(limiter: RateLimiterMongo, key: string, times: number): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key, times)
  } catch (error) {
    if (error instanceof RateLimiterRes) return error
    throw error
  }
}

/**
 * A batcher that sums up concurrent calls for the same key, so that a process has at most one write to a document under way, however busy the
 * network that it counts. `add` returns the result of the first, second, … of these calls.
 */
const createSumLane = <Result>(
  add: (key: string, times: number) => Promise<(position: number) => Result>,
): Lane<string, Result> =>
  createLane(1000, async (keys) => {
    const results = new Map<string, Result[]>()
    const sums = [...groupBy(keys, (key) => key)].map(async ([key, same]) => {
      const resultAt = await add(key, same.length)
      results.set(
        key,
        same.map((_, index) => resultAt(index + 1)),
      )
    })
    await Promise.all(sums)
    return keys.map((key) => results.get(key)?.shift() as Result)
  })

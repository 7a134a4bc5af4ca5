import ipaddr from 'ipaddr.js'
import type { Connection } from 'mongoose'
import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible'
import type { Collection } from './collection.ts'
import { createReadLane, noHurry } from './group-commit.ts'

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
export interface Standing {
  isOpen: boolean
  counted: number
  closedMs: number
}

/** The tries of all keys under one limit. The clock is the library's own. */
export interface Tries {
  /** Counts one in one write, so that of many at once no more get through than the limit lets. */
  count(key: string): Promise<Standing>
  /** Where the next one would find it; counts nothing. */
  look(key: string): Promise<Standing>
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
  const standing = ({ consumedPoints, msBeforeNext }: RateLimiterRes, isOpen: boolean): Standing => ({
    isOpen,
    counted: consumedPoints,
    closedMs: isOpen ? 0 : msBeforeNext,
  })
  return {
    async count(key) {
      try {
        return standing(await limiter.consume(key), true)
      } catch (error) {
        // The library throws its answer when a limit is passed.
        if (error instanceof RateLimiterRes) return standing(error, false)
        throw error
      }
    },
    async look(key) {
      const counted = await read(limiter.getKey(key), noHurry)
      if (counted === null || counted.points < limit.most)
        return { isOpen: true, counted: counted?.points ?? 0, closedMs: 0 }
      // It may be over by now: the library knows the time.
      const seen = await limiter.get(key)
      return seen === null
        ? { isOpen: true, counted: 0, closedMs: 0 }
        : standing(seen, seen.consumedPoints < limit.most)
    },
    async giveBack(key) {
      await limiter.reward(key)
    },
    async forget(key) {
      await limiter.delete(key)
    },
  }
}

/** One household or office: an IPv4 address, or the 64 bits of an IPv6 one within which anybody may choose. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}

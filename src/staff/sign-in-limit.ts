import ipaddr from 'ipaddr.js'
import { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible'
import type { Collection } from '../collection.ts'
import type { Deps } from '../deps.ts'

/** How many tries to sign in there were within a time, as rate-limiter-flexible keeps it: for all processes, over restarts. */
export const signInTries: Collection = {
  name: 'signintries',
  fields: { key: String, points: Number, expire: Date },
  indexes: [
    { name: 'key', key: { key: 1 }, unique: true },
    { name: 'expiry', key: { expire: 1 }, expireAfterSeconds: 0 },
  ],
}

/**
 * One name from one address: 10 tries in a quarter of an hour. From other addresses the same name stays open, so that nobody
 * is locked out by a stranger.
 */
const perName = { keyPrefix: 'name', points: 10, duration: 900 }
/** One address, whatever the names: 50 failures an hour. Enough for an office behind one address. */
const perAddress = { keyPrefix: 'address', points: 50, duration: 3600 }
/** How long the first, second, … try of a name waits before it is looked at; the last holds for all further ones. */
const delaysMs = [0, 0, 250, 500, 1000, 2000, 3000] as const

/** A try that was counted: let in after a delay, or not, and then how long until one is. */
export type Try =
  | { isOpen: true; delayMs: number; takeBack(isGood: boolean): Promise<void> }
  | { isOpen: false; closedMs: number }

/** Counts a try before it is looked at, so that many at once do not slip through. `takeBack` when it shall not count. */
export type CountTry = (name: string, ip: string) => Promise<Try>

export function createSignInLimit(deps: Pick<Deps, 'mongo' | 'secrets'>): CountTry {
  const store = { storeClient: deps.mongo, tableName: signInTries.name, disableIndexesCreation: true }
  const names = new RateLimiterMongo({ ...store, ...perName })
  const addresses = new RateLimiterMongo({ ...store, ...perAddress })
  return async (name, ip) => {
    const network = networkOf(ip)
    // What is typed there may be a password.
    const key = `${network} ${deps.secrets.hash(name)}`
    const address = await take(addresses, network)
    if (!address.isOpen) return { isOpen: false, closedMs: address.seen.msBeforeNext }
    const named = await take(names, key)
    if (!named.isOpen) {
      await addresses.reward(network)
      return { isOpen: false, closedMs: named.seen.msBeforeNext }
    }
    return {
      isOpen: true,
      delayMs: delaysMs[Math.min(named.seen.consumedPoints, delaysMs.length) - 1] ?? 0,
      async takeBack(isGood) {
        // A good one also forgets the failures before it.
        await (isGood ? names.delete(key) : names.reward(key))
        await addresses.reward(network)
      },
    }
  }
}

/** The library throws its answer when a limit is passed. */
async function take(
  limiter: RateLimiterMongo,
  key: string,
): Promise<{ isOpen: boolean; seen: RateLimiterRes }> {
  try {
    return { isOpen: true, seen: await limiter.consume(key) }
  } catch (error) {
    if (error instanceof RateLimiterRes) return { isOpen: false, seen: error }
    throw error
  }
}

/** One household or office: an IPv4 address, or the 64 bits of an IPv6 one within which anybody may choose. */
function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}

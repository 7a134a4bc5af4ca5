import type { Refusal } from '../platform/errors.ts'
import { shareRuns } from '../platform/share-runs.ts'
import type { RunCommands } from '../queues/queues.ts'
import { type Limit, rateLimited } from './limit.ts'

/** Limits per second. `RATE_LIMIT_PER_SECOND` is 100 by default; 0 turns all of these off. */
export const requestRates = {
  key: {
    what: 'Requests of an API key per second; large bodies and orders count as several',
    owner: 'API key',
    limit: 'RATE_LIMIT_PER_SECOND',
    gets: '429 `key`, after a delay in a flood',
  },
  network: {
    what: 'Requests with a publishable key per second from one network',
    owner: 'network within the key',
    limit: 'a tenth of the key',
    gets: '429 `address`',
  },
  address: {
    what: 'Requests without a valid key per second',
    owner: 'network and larger prefix',
    limit: 'RATE_LIMIT_PER_SECOND',
    gets: '429 `address`, after a delay',
  },
  visitor: {
    what: 'Requests for pages per second',
    owner: 'network and larger prefix',
    limit: 'RATE_LIMIT_PER_SECOND',
    gets: '429 `address` or `polls`, after a delay',
  },
} satisfies Record<string, RateLimit>

/** `limit` is the text that docs/maintainers/limits.md shows. */
export interface RateLimit extends Limit {
  owner: string
  limit: string
}

export type Addition = readonly [name: string, by: number]

/**
 * Adds to sums that all processes share, and returns the sums. A sum is removed `livesMs` after the last addition.
 * Either all additions apply or none. Returns null if Redis is down, frozen or full; it's then unknown whether they
 * applied.
 */
export type AddToSums = (additions: readonly Addition[], livesMs: number) => Promise<(number | null)[] | null>

/**
 * Keeps the sums in Redis. Keys are hashed with SECRET_KEY, so a future second's key can't be predicted and its sum
 * can't be set in advance. An implausible sum is returned as null.
 */
export const createAddToSums =
  (runCommands: RunCommands, prefix: string, hash: (name: string) => string): AddToSums =>
  async (additions, livesMs) => {
    const keyed = additions.map(([name, by]) => [`${prefix}:${hash(name)}`, by] as const)
    const responses = await runCommands([
      ...keyed.map(([key, by]) => ['incrby', key, by] as const),
      ...keyed.map(([key]) => ['pexpire', key, livesMs] as const),
    ])
    return responses && keyed.map(([, by], index) => plausible(Number(responses[index]), by))
  }

const plausible = (sum: number, by: number): number | null =>
  Number.isSafeInteger(sum) && sum >= by ? sum : null

/** An API key, a prefix that sends invalid credentials, or a prefix that sends no key at all. */
export type Counted = `key:${string}` | `address:${string}` | `visitor:${string}`

export interface Standing {
  isOpen: boolean
  remaining: number
  /** How many requests the caller is over its limit. */
  over: number
}

/** Limits requests per clock second across all processes. It decides in memory, so no request waits for Redis. */
export type RateLimits = ReturnType<typeof createRateLimits>

/** One caller's requests in the current second, as far as this process knows. */
interface Counts {
  /** Counted by this process but not yet sent to Redis. */
  unsent: number
  /** The sum across all processes, as far as this process knows. */
  sum: number
  limit: number
}

interface Second {
  at: number
  callers: Map<Counted, Counts>
}

/** How long it takes until processes learn each other's counts. Redis hardly notices four small calls per second. */
const exchangeEveryMs = 250
/** Counts must outlive their second, because the clocks of two processes may differ by up to a second. */
const keptInRedisMs = 3000
/**
 * How many callers are counted per second. A process can't serve enough requests to reach this, even if each one counts
 * for four prefixes. The counts take up to 8 MB until the next second. Further callers aren't counted, because refusing
 * them would let a flood shut out all callers.
 */
const maxCounted = 20_000
/** Redis takes a few milliseconds for a batch of this size. The other counts wait for the next batch. */
const maxBatch = 1000
/**
 * A process reports only counts of at least this fraction of the limit, which most API keys never reach. So the sum may
 * lack 3 % of the limit per process, and a caller may exceed its limit by as much.
 */
const minPortionToSend = 0.03

export function createRateLimits(perSecond: number, addToSums: AddToSums, now: () => Date) {
  let latest: Second = { at: 0, callers: new Map() }

  function current(): Second {
    const at = Math.floor(now().getTime() / 1000)
    if (at !== latest.at) latest = { at, callers: new Map() }
    return latest
  }

  // If Redis is slow, the previous exchange may still be running.
  const exchange = shareRuns(async () => {
    const { at, callers } = latest
    const batch = [...callers]
      .filter(([, { unsent, limit }]) => unsent > 0 && unsent >= limit * minPortionToSend)
      .slice(0, maxBatch)
      .map(([who, counts]) => ({ who, counts, by: counts.unsent }))
    if (batch.length === 0) return
    for (const { counts, by } of batch) {
      counts.unsent = 0
      // Added even if Redis doesn't respond, so that this process goes on with its own counts.
      counts.sum += by
    }
    const sums = await addToSums(
      batch.map(({ who, by }) => [`${at}:${who}`, by]),
      keptInRedisMs,
    )
    for (const [index, { counts }] of batch.entries()) counts.sum = Math.max(counts.sum, sums?.[index] ?? 0)
  })

  const timer = setInterval(() => void exchange(), exchangeEveryMs)
  timer.unref()

  return {
    perSecond,
    /** How long a refusal is delayed, up to twice as long at random. Tests lower it. */
    refusalDelayMs: 1000,
    /** `requests` is greater than 1 for an expensive request. */
    count(who: Counted, limit = perSecond, requests = 1): Standing {
      const counts = countsOf(current().callers, who, limit)
      if (counts === null) return { isOpen: true, remaining: limit, over: 0 }
      counts.unsent += requests
      const counted = countedOf(counts)
      return { isOpen: counted <= limit, ...remainderOf(counted, limit) }
    },
    /** Returns the standing before the next request, without counting anything. */
    look(who: Counted, limit = perSecond): Standing {
      const counted = countedOf(current().callers.get(who) ?? { unsent: 0, sum: 0 })
      return { isOpen: counted < limit, ...remainderOf(counted, limit) }
    },
    refusal: (scope: 'key' | 'address' | 'polls', limit: number): Refusal =>
      rateLimited(undefined, { scope, limit, windowSeconds: 1 }),
    /** Sends this process's counts to Redis and reads the sums of all processes. */
    exchange,
    close: (): void => clearInterval(timer),
  }
}

const remainderOf = (counted: number, limit: number): Omit<Standing, 'isOpen'> => ({
  remaining: Math.max(0, limit - counted),
  over: Math.max(0, counted - limit),
})

const countedOf = ({ unsent, sum }: Pick<Counts, 'unsent' | 'sum'>): number => sum + unsent

/** Returns null if too many callers are being counted already. */
function countsOf(callers: Map<Counted, Counts>, who: Counted, limit: number): Counts | null {
  const known = callers.get(who)
  if (known !== undefined) return known
  if (callers.size === maxCounted) return null
  const counts = { unsent: 0, sum: 0, limit }
  callers.set(who, counts)
  return counts
}

/** Limits the portion of time that some work takes: count what it took, then rest for as long as `waitMs` says. */
export interface Meter {
  /** How long the work must still rest, in ms, or 0. */
  waitMs(): number
  count(ms: number): void
}

interface Metered extends RateLimit {
  /** Fractions of the time: for one owner, and for all owners in debt together. */
  ofOne: number
  ofAll: number
  /** How much an idle owner can save up, and how much a busy one can owe. */
  maxSavedMs: number
  maxOwedMs: number
}

export const meters = {
  // A tenth of the time is enough for about 60 new TLS connections per second.
  endpoints: {
    what: 'Processor time for TLS handshakes with endpoints and their responses',
    owner: 'business',
    limit: 'a tenth of the time; two tenths for all that use up theirs,',
    gets: 'what arrives waits',
    ofOne: 0.1,
    ofAll: 0.2,
    maxSavedMs: 50,
    maxOwedMs: Number.POSITIVE_INFINITY,
  },
  // At most 3 s are owed, so the longest rest is 10 s, in which no lease ends.
  background: {
    what: 'Time for which a clean-up, a check or a bulk act keeps MongoDB busy',
    owner: 'run',
    limit: '30 % of the time',
    gets: 'it rests',
    ofOne: 0.3,
    ofAll: 0.3,
    maxSavedMs: 4,
    maxOwedMs: 3_000,
  },
} satisfies Record<string, Metered>

/** What an owner has left at a given time. It's negative if the owner owes time. */
interface Account {
  leftMs: number
  at: number
}

/** From this many owners on, those that have been idle are forgotten. */
const tidyFrom = 1000

/** `elapsedMs` must be a monotonic clock. */
export function createMeters({ ofOne, ofAll, maxSavedMs, maxOwedMs }: Metered, elapsedMs: () => number) {
  const accounts = new Map<string, Account>()
  const full: Account = { leftMs: maxSavedMs, at: 0 }
  const overdrawn = new Set<string>()
  const part = (): number => Math.min(ofOne, ofAll / Math.max(1, overdrawn.size))
  const leftAt = (now: number, { leftMs, at }: Account): number =>
    Math.min(maxSavedMs, leftMs + (now - at) * part())

  /** Forgets debts that have been paid off, including those of owners that no longer do anything. */
  function payOff(now: number): void {
    for (const owner of overdrawn) if (leftAt(now, accounts.get(owner) ?? full) > 0) overdrawn.delete(owner)
  }

  function update(owner: string, spentMs = 0): number {
    const now = elapsedMs()
    payOff(now)
    const leftMs = Math.max(-maxOwedMs, leftAt(now, accounts.get(owner) ?? full) - spentMs)
    accounts.set(owner, { leftMs, at: now })
    if (leftMs > 0) overdrawn.delete(owner)
    else overdrawn.add(owner)
    return leftMs
  }

  return (owner: string): Meter => ({
    waitMs() {
      if (!accounts.has(owner)) return 0
      const leftMs = update(owner)
      return leftMs > 0 ? 0 : Math.ceil(-leftMs / part()) + 1
    },
    count(ms) {
      if (accounts.size >= tidyFrom && !accounts.has(owner))
        for (const other of accounts.keys()) if (update(other) === maxSavedMs) accounts.delete(other)
      update(owner, ms)
    },
  })
}

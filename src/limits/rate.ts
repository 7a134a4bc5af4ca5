import type { Refusal } from '../platform/errors.ts'
import { shareRuns } from '../platform/share-runs.ts'
import type { RunCommands } from '../queues/queues.ts'
import { type Limit, rateLimited } from './limit.ts'

/** The limits per second. `RATE_LIMIT_PER_SECOND` is 100 by default, and 0 turns all of them off. */
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

/** A limit per second. `limit` describes how many are allowed. */
export interface RateLimit extends Limit {
  owner: string
  limit: string
}

/** The name of a shared sum and the amount to add to it. */
export type Addition = readonly [name: string, by: number]

/**
 * Adds to sums that all processes share, and returns the new sums. Each sum is removed `livesMs` after the last
 * addition to it. Redis applies either all of the additions or none of them. Returns null if Redis is down, frozen or
 * full, in which case it is unknown whether the additions were applied.
 */
export type AddUp = (additions: readonly Addition[], livesMs: number) => Promise<(number | null)[] | null>

/**
 * Creates a function that keeps the sums in Redis, under keys with this prefix. Without SECRET_KEY, the
 * key of a future second cannot be predicted, so its sum cannot be set in advance. A sum that cannot be right is null.
 */
export const createAddUp =
  (runCommands: RunCommands, prefix: string, hash: (name: string) => string): AddUp =>
  async (additions, livesMs) => {
    const keyed = additions.map(([name, by]) => [`${prefix}:${hash(name)}`, by] as const)
    const responses = await runCommands([
      ...keyed.map(([key, by]) => ['incrby', key, by] as const),
      ...keyed.map(([key]) => ['pexpire', key, livesMs] as const),
    ])
    return responses && keyed.map(([, by], index) => plausible(Number(responses[index]), by))
  }

const plausible = (sum: number, by: number): number | null => (Number.isSafeInteger(sum) && sum >= by ? sum : null)

/**
 * A caller whose requests are counted: an API key, a prefix that sends invalid credentials, or a prefix that sends
 * requests without a key.
 */
export type Counted = `key:${string}` | `address:${string}` | `visitor:${string}`

/** A caller's state in the current second. `isOpen` is false if the caller is over the limit. */
export interface Standing {
  isOpen: boolean
  remaining: number
  /** The number of requests by which the caller exceeds the limit. */
  over: number
}

/**
 * Limits each caller's requests per clock second across all processes. Decisions are made in memory, so no request
 * waits for Redis. `perSecond` applies to callers without their own limit.
 */
export type RateLimits = ReturnType<typeof createRateLimits>

/** One caller's requests in the current second, as far as this process knows. */
interface Counts {
  /** Requests that this process has counted but not yet sent to Redis. */
  unsent: number
  /** The sum in Redis across all processes, as far as this process knows. */
  sum: number
  limit: number
}

/** A clock second and its counts. */
interface Second {
  at: number
  callers: Map<Counted, Counts>
}

/**
 * The delay after which processes learn each other's counts. The load of four small calls per second is negligible for
 * Redis.
 */
const exchangeEveryMs = 250
/**
 * Counts must be kept in Redis for longer than the second to which they belong, because the clocks of different
 * processes may differ by up to a second.
 */
const keptInRedisMs = 3000
/**
 * The maximum number of callers that are counted in one second. A process cannot serve enough requests per second to
 * reach this number, even though each request may count towards up to four prefixes. The counts take up to 8 MB until
 * the next second. Further callers are not counted in that second, because refusing them would let a flood shut out
 * every caller.
 */
const maxCounted = 20_000
/**
 * The maximum number of counts in a batch. Redis needs a few milliseconds for a batch of this size. The remaining
 * counts are sent in the next batch.
 */
const maxBatch = 1000
/**
 * A process reports a caller's requests to Redis only after counting this fraction of the limit since its last report.
 * Most API keys never send that many requests. As a result, the sum in Redis may lack up to 3 % of the limit for each
 * process, so a caller may exceed the limit by as much.
 */
const minShareToSend = 0.03

export function createRateLimits(perSecond: number, addUp: AddUp, now: () => Date) {
  let latest: Second = { at: 0, callers: new Map() }

  function current(): Second {
    const at = Math.floor(now().getTime() / 1000)
    if (at !== latest.at) latest = { at, callers: new Map() }
    return latest
  }

  // The previous exchange may still be running, because Redis is slow.
  const exchange = shareRuns(async () => {
    const { at, callers } = latest
    const batch = [...callers]
      .filter(([, { unsent, limit }]) => unsent > 0 && unsent >= limit * minShareToSend)
      .slice(0, maxBatch)
      .map(([who, counts]) => ({ who, counts, by: counts.unsent }))
    if (batch.length === 0) return
    for (const { counts, by } of batch) {
      counts.unsent = 0
      // The requests are added even if Redis does not respond, so that this process continues with its own counts.
      counts.sum += by
    }
    const sums = await addUp(
      batch.map(({ who, by }) => [`${at}:${who}`, by]),
      keptInRedisMs,
    )
    for (const [index, { counts }] of batch.entries()) counts.sum = Math.max(counts.sum, sums?.[index] ?? 0)
  })

  const timer = setInterval(() => void exchange(), exchangeEveryMs)
  timer.unref()

  return {
    perSecond,
    /** How long the response to a network over its limit is delayed, up to twice as long at random. Tests lower it. */
    refusalDelayMs: 1000,
    /** Counts one request, or a request that costs as much as `requests` ordinary requests. */
    count(who: Counted, limit = perSecond, requests = 1): Standing {
      const counts = countsOf(current().callers, who, limit)
      if (counts === null) return { isOpen: true, remaining: limit, over: 0 }
      counts.unsent += requests
      const counted = countedOf(counts)
      return { isOpen: counted <= limit, ...remainderOf(counted, limit) }
    },
    /** Returns the caller's standing before its next request, without counting anything. */
    look(who: Counted, limit = perSecond): Standing {
      const counted = countedOf(current().callers.get(who) ?? { unsent: 0, sum: 0 })
      return { isOpen: counted < limit, ...remainderOf(counted, limit) }
    },
    refusal: (scope: 'key' | 'address' | 'polls', limit: number): Refusal =>
      rateLimited(undefined, { scope, limit, windowSeconds: 1 }),
    /** Sends this process's counts to Redis, and receives the totals across all processes. */
    exchange,
    close: (): void => clearInterval(timer),
  }
}

const remainderOf = (counted: number, limit: number): Omit<Standing, 'isOpen'> => ({
  remaining: Math.max(0, limit - counted),
  over: Math.max(0, counted - limit),
})

const countedOf = ({ unsent, sum }: Pick<Counts, 'unsent' | 'sum'>): number => sum + unsent

/** Returns a caller's counts, or null if too many callers are already being counted. */
function countsOf(callers: Map<Counted, Counts>, who: Counted, limit: number): Counts | null {
  const known = callers.get(who)
  if (known !== undefined) return known
  if (callers.size === maxCounted) return null
  const counts = { unsent: 0, sum: 0, limit }
  callers.set(who, counts)
  return counts
}

/** How much of the time some work may take. A meter counts what it took, and says how long it must then rest. */
export interface Meter {
  /** Returns how long the work must still rest, in ms, or 0. */
  waitMs(): number
  count(ms: number): void
}

interface Metered extends RateLimit {
  /** The part of the time that one owner may take, and the part that all who have used up theirs take together. */
  ofOne: number
  ofAll: number
  /** How much an owner can save up while it does nothing, and how much it can owe. */
  maxSavedMs: number
  maxOwedMs: number
}

export const meters = {
  // A tenth allows about 60 new TLS connections per second.
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
  // The longest rest is 10 s, in which no lease ends.
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

/** What an owner had left at a time. Negative if it owes. */
interface Account {
  leftMs: number
  at: number
}

/** An owner that uses nothing for a while is forgotten when so many others are known. */
const tidyFrom = 1000

/** Creates the meters of all owners. `elapsedMs` must be a monotonic clock. */
export function createMeters({ ofOne, ofAll, maxSavedMs, maxOwedMs }: Metered, elapsedMs: () => number) {
  const accounts = new Map<string, Account>()
  const full: Account = { leftMs: maxSavedMs, at: 0 }
  const overdrawn = new Set<string>()
  const part = (): number => Math.min(ofOne, ofAll / Math.max(1, overdrawn.size))
  const leftAt = (now: number, { leftMs, at }: Account): number => Math.min(maxSavedMs, leftMs + (now - at) * part())

  /** Forgets the debts that have been paid off, also those of owners that have gone quiet. */
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

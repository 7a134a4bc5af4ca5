import type { Refusal } from '../platform/errors.ts'
import { shareRuns } from '../platform/share-runs.ts'
import type { RunCommands } from '../queues/queues.ts'
import { type Limit, rateLimited } from './limit.ts'

declare module '../platform/deps.ts' {
  interface Deps {
    /** Null: no limits. */
    rateLimits: RateLimits | null
  }
}

/** Requests per second. `RATE_LIMIT_PER_SECOND` is 100 by default; 0 turns all of these off. */
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

/** `limit` is text for docs/maintainers/limits.md. */
export interface RateLimit extends Limit {
  owner: string
  limit: string
}

export type Addition = readonly [name: string, by: number]

/**
 * Adds to sums that all processes share and returns them. A sum disappears `livesMs` after its last addition. All
 * additions apply or none; null means that Redis is down, frozen or full and either may be the case.
 */
export type AddUp = (additions: readonly Addition[], livesMs: number) => Promise<(number | null)[] | null>

/**
 * Keeps the sums in Redis. Hashed with SECRET_KEY, a future second's key can't be predicted, so its sum can't be set in
 * advance. An implausible sum is null.
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

/** An API key, a prefix that sends invalid credentials, or a prefix that sends no key. */
export type Counted = `key:${string}` | `address:${string}` | `visitor:${string}`

export interface Standing {
  isOpen: boolean
  remaining: number
  /** By how many requests the caller is over. */
  over: number
}

/** Counts requests per clock second across processes. Decides in memory, so no request waits for Redis. */
export type RateLimits = ReturnType<typeof createRateLimits>

/** One caller in the current second, as far as this process knows. */
interface Counts {
  /** Counted here, not yet sent to Redis. */
  unsent: number
  /** The sum across all processes, as far as we know. */
  sum: number
  limit: number
}

interface Second {
  at: number
  callers: Map<Counted, Counts>
}

/** How late processes learn each other's counts. Four small calls per second don't burden Redis. */
const exchangeEveryMs = 250
/** Longer than the second itself: clocks of processes may differ by up to a second. */
const keptInRedisMs = 3000
/**
 * Callers per second. A process can't serve enough requests to get there, even with four prefixes each. Up to 8 MB
 * until the next second. Callers beyond it aren't counted: refusing them would let a flood shut out all callers.
 */
const maxCounted = 20_000
/** A few milliseconds of Redis time. The rest waits for the next batch. */
const maxBatch = 1000
/**
 * As a fraction of the limit: smaller counts aren't sent, and most API keys never get there. So the sum may lack 3 % of
 * the limit per process, and a caller may exceed it by as much.
 */
const minShareToSend = 0.03

export function createRateLimits(perSecond: number, addUp: AddUp, now: () => Date) {
  let latest: Second = { at: 0, callers: new Map() }

  function current(): Second {
    const at = Math.floor(now().getTime() / 1000)
    if (at !== latest.at) latest = { at, callers: new Map() }
    return latest
  }

  // Shared, because a slow Redis may still be busy with the previous exchange.
  const exchange = shareRuns(async () => {
    const { at, callers } = latest
    const batch = [...callers]
      .filter(([, { unsent, limit }]) => unsent > 0 && unsent >= limit * minShareToSend)
      .slice(0, maxBatch)
      .map(([who, counts]) => ({ who, counts, by: counts.unsent }))
    if (batch.length === 0) return
    for (const { counts, by } of batch) {
      counts.unsent = 0
      // Added even if Redis doesn't respond, so that this process's own counts go on.
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
    /** How long a refusal is delayed; up to twice as long at random. Tests lower it. */
    refusalDelayMs: 1000,
    /** `requests`: an expensive request counts as several. */
    count(who: Counted, limit = perSecond, requests = 1): Standing {
      const counts = countsOf(current().callers, who, limit)
      if (counts === null) return { isOpen: true, remaining: limit, over: 0 }
      counts.unsent += requests
      const counted = countedOf(counts)
      return { isOpen: counted <= limit, ...remainderOf(counted, limit) }
    },
    /** The standing before the next request. Counts nothing. */
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

/** Null if too many callers are counted already. */
function countsOf(callers: Map<Counted, Counts>, who: Counted, limit: number): Counts | null {
  const known = callers.get(who)
  if (known !== undefined) return known
  if (callers.size === maxCounted) return null
  const counts = { unsent: 0, sum: 0, limit }
  callers.set(who, counts)
  return counts
}

/** Limits how much of the time some work takes: count what it took, then rest as long as `waitMs` says. */
export interface Meter {
  /** In ms; 0 if the work may go on. */
  waitMs(): number
  count(ms: number): void
}

interface Metered extends RateLimit {
  /** Parts of the time: for one owner, and for all owners in debt together. */
  ofOne: number
  ofAll: number
  /** What an owner saves up at most while idle, and owes at most. */
  maxSavedMs: number
  maxOwedMs: number
}

export const meters = {
  // A tenth is about 60 new TLS connections per second.
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
  // Owing 3 s means a rest of 10 s, which every lease survives.
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

/** Negative if the owner owes. */
interface Account {
  leftMs: number
  at: number
}

/** From this many owners on, idle ones are forgotten. */
const tidyFrom = 1000

/** `elapsedMs` must be monotonic. */
export function createMeters({ ofOne, ofAll, maxSavedMs, maxOwedMs }: Metered, elapsedMs: () => number) {
  const accounts = new Map<string, Account>()
  const full: Account = { leftMs: maxSavedMs, at: 0 }
  const overdrawn = new Set<string>()
  const part = (): number => Math.min(ofOne, ofAll / Math.max(1, overdrawn.size))
  const leftAt = (now: number, { leftMs, at }: Account): number => Math.min(maxSavedMs, leftMs + (now - at) * part())

  /** Also for owners that have gone quiet since. */
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

import type { Refusal } from '../platform/errors.ts'
import { coalesceRuns } from '../platform/share-runs.ts'
import type { RunCommands } from '../queues/queues.ts'
import { type LimitSummary, refuseAtLimit } from './limit.ts'

/** `RATE_LIMIT_PER_SECOND` is 100 by default. 0 turns these limits off. */
export const requestRateLimits = {
  key: {
    what: 'Requests with an API key per second; large bodies and orders count as several',
    owner: 'API key',
    limit: 'RATE_LIMIT_PER_SECOND',
    gets: '429 `key`, after a delay in a flood',
  },
  network: {
    what: 'Requests with a publishable key per second from one network',
    owner: 'network within the key',
    limit: 'a tenth of the key limit',
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

export interface RateLimit extends LimitSummary {
  owner: string
  limit: string
}

export type AddToSums = ReturnType<typeof createAddToSums>

/**
 * Adds to sums that all processes share and that Redis keeps for `livesMs`.
 * Returns null if Redis didn't respond, although the sums may have changed.
 * Keys are hashed so that nobody can guess and set a future second's sum.
 */
export const createAddToSums =
  (runCommands: RunCommands, prefix: string, hash: (name: string) => string) =>
  async (additions: [name: string, by: number][], livesMs: number): Promise<(number | null)[] | null> => {
    const keyed = additions.map(([name, by]) => [`${prefix}:${hash(name)}`, by] as const)
    const responses = await runCommands([
      ...keyed.map(([key, by]) => ['incrby', key, by] as const),
      ...keyed.map(([key]) => ['pexpire', key, livesMs] as const),
    ])
    return responses && keyed.map(([, by], index) => plausible(Number(responses[index]), by))
  }

const plausible = (sum: number, by: number) => (Number.isSafeInteger(sum) && sum >= by ? sum : null)

export type RateLimitOwner = `key:${string}` | `address:${string}` | `visitor:${string}`

interface RateStanding {
  isOpen: boolean
  remaining: number
  over: number
}

/** Limits are per clock second, across all processes. */
export type RateLimits = ReturnType<typeof createRateLimits>

interface Counts {
  unsent: number
  /** The last known sum across all processes. */
  sum: number
  limit: number
}

interface Second {
  at: number
  callers: Map<RateLimitOwner, Counts>
}

/** Redis hardly notices four small calls per second. */
const exchangeEveryMs = 250
/** Two clocks may differ by a second, so a sum must be kept for longer. */
const keptInRedisMs = 3000
/** Limits memory to 8 MB. Callers beyond this number are let through. */
const maxCounted = 20_000
const maxBatch = 1000
/** A process may exceed a limit by this, because smaller counts aren't sent. */
const minPortionToSend = 0.03

export function createRateLimits(perSecond: number, addToSums: AddToSums, now: () => Date, processes = 1) {
  let latest: Second = { at: 0, callers: new Map() }
  /** Without Redis, we assume that the others here count as much as we do. */
  let weight = 1

  function current(): Second {
    const at = Math.floor(now().getTime() / 1000)
    if (at !== latest.at) latest = { at, callers: new Map() }
    return latest
  }

  // With a slow Redis, the previous exchange may still be running.
  const exchange = coalesceRuns(async () => {
    const { at, callers } = latest
    const batch = [...callers]
      .filter(([, { unsent, limit }]) => unsent > 0 && unsent >= limit * minPortionToSend)
      .slice(0, maxBatch)
      .map(([who, counts]) => ({ who, counts, by: counts.unsent }))
    if (batch.length === 0) return
    for (const { counts, by } of batch) {
      counts.unsent = 0
      // While Redis is down, each process limits callers by its own counts.
      counts.sum += by * weight
    }
    const additions = batch.map(({ who, by }): [string, number] => [`${at}:${who}`, by])
    const sums = await addToSums(additions, keptInRedisMs)
    weight = sums === null ? processes : 1
    for (const [index, { counts }] of batch.entries()) counts.sum = Math.max(counts.sum, sums?.[index] ?? 0)
  })

  const timer = setInterval(() => void exchange(), exchangeEveryMs)
  timer.unref()

  return {
    perSecond,
    /** Each refusal is delayed by a random time, from this to twice this. */
    refusalDelayMs: 1000,
    count(who: RateLimitOwner, limit = perSecond, requests = 1): RateStanding {
      const counts = countsOf(current().callers, who, limit)
      if (counts === null) return { isOpen: true, remaining: limit, over: 0 }
      counts.unsent += requests
      return standingAt(counts, limit, weight)
    },
    /** Returns the standing after one more request, without counting it. */
    look(who: RateLimitOwner, limit = perSecond): RateStanding {
      const { remaining, over } = standingAt(
        current().callers.get(who) ?? { unsent: 0, sum: 0 },
        limit,
        weight,
      )
      return { remaining, over, isOpen: remaining > 0 }
    },
    refusal: (scope: 'key' | 'address' | 'polls', limit: number): Refusal =>
      refuseAtLimit(undefined, { scope, limit, windowSeconds: 1 }),
    exchange,
    close: (): void => clearInterval(timer),
  }
}

type Counted = Pick<Counts, 'unsent' | 'sum'>

function standingAt({ unsent, sum }: Counted, limit: number, weight: number): RateStanding {
  const over = unsent * weight + sum - limit
  return { isOpen: over <= 0, remaining: Math.max(0, -over), over: Math.max(0, over) }
}

function countsOf(callers: Map<RateLimitOwner, Counts>, who: RateLimitOwner, limit: number): Counts | null {
  const known = callers.get(who)
  if (known !== undefined) return known
  if (callers.size === maxCounted) return null
  const counts = { unsent: 0, sum: 0, limit }
  callers.set(who, counts)
  return counts
}

export interface TimeMeter {
  waitMs(): number
  count(ms: number): void
}

interface Metered extends RateLimit {
  /** The fraction of the time for one overdrawn owner, and for all of them. */
  ofOne: number
  ofAll: number
  maxSavedMs: number
  maxOwedMs: number
}

export const timeMeterLimits = {
  // A tenth of the time is enough for 60 new TLS connections per second.
  endpoints: {
    what: 'Processor time for TLS handshakes with endpoints and their responses',
    owner: 'business',
    limit: 'a tenth of the time (two tenths for all that exceed it)',
    gets: 'received data waits',
    ofOne: 0.1,
    ofAll: 0.2,
    maxSavedMs: 50,
    maxOwedMs: Number.POSITIVE_INFINITY,
  },
  // After 3 s of overdraft, the pause is 10 s, shorter than any lease.
  background: {
    what: 'Time for which a clean-up, a check or a bulk action keeps MongoDB busy',
    owner: 'run',
    limit: '30 % of the time',
    gets: 'it rests',
    ofOne: 0.3,
    ofAll: 0.3,
    maxSavedMs: 4,
    maxOwedMs: 3_000,
  },
} satisfies Record<string, Metered>

interface Account {
  leftMs: number
  at: number
}

const tidyFrom = 1000

export function createTimeMeters({ ofOne, ofAll, maxSavedMs, maxOwedMs }: Metered, elapsedMs: () => number) {
  const accounts = new Map<string, Account>()
  const full: Account = { leftMs: maxSavedMs, at: 0 }
  const overdrawn = new Set<string>()
  const part = (): number => Math.min(ofOne, ofAll / Math.max(1, overdrawn.size))
  const leftAt = (now: number, { leftMs, at }: Account) => Math.min(maxSavedMs, leftMs + (now - at) * part())

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

  return (owner: string): TimeMeter => ({
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

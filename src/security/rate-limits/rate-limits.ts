import type { AddUp } from './add-up.ts'
import { createLines } from './lines.ts'

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
interface Share {
  /** Requests that this process has counted but not yet sent to Redis. */
  unsent: number
  /** The sum in Redis across all processes, as far as this process knows. */
  sum: number
  limit: number
}

/** A clock second and its counts. */
interface Second {
  at: number
  shares: Map<Counted, Share>
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
  let latest: Second = { at: 0, shares: new Map() }
  let exchanging = false

  function current(): Second {
    const at = Math.floor(now().getTime() / 1000)
    if (at !== latest.at) latest = { at, shares: new Map() }
    return latest
  }

  async function exchange({ at, shares }: Second): Promise<void> {
    const batch = [...shares]
      .filter(([, { unsent, limit }]) => unsent > 0 && unsent >= limit * minShareToSend)
      .slice(0, maxBatch)
      .map(([who, share]) => ({ who, share, by: share.unsent }))
    if (batch.length === 0) return
    for (const { share, by } of batch) {
      share.unsent = 0
      // The requests are added even if Redis does not respond, so that this process continues with its own counts.
      share.sum += by
    }
    const sums = await addUp(
      batch.map(({ who, by }) => [`${at}:${who}`, by]),
      keptInRedisMs,
    )
    for (const [index, { share }] of batch.entries()) share.sum = Math.max(share.sum, sums?.[index] ?? 0)
  }

  /** Exchanges counts with Redis, unless the previous exchange is still running because Redis is slow. */
  async function exchangeOneAtATime(): Promise<void> {
    if (exchanging) return
    exchanging = true
    await exchange(latest).finally(() => {
      exchanging = false
    })
  }

  const timer = setInterval(() => void exchangeOneAtATime(), exchangeEveryMs)
  timer.unref()

  return {
    perSecond,
    /** How long the response to a network over its limit is delayed, up to twice as long at random. Tests lower it. */
    refusalDelayMs: 1000,
    /** Counts one request, or a request that costs as much as `requests` ordinary requests. */
    count(who: Counted, limit = perSecond, requests = 1): Standing {
      const share = shareOf(current().shares, who, limit)
      if (share === null) return { isOpen: true, remaining: limit, over: 0 }
      share.unsent += requests
      const counted = countedOf(share)
      return { isOpen: counted <= limit, ...remainderOf(counted, limit) }
    },
    /** Returns the caller's standing before its next request, without counting anything. */
    look(who: Counted, limit = perSecond): Standing {
      const counted = countedOf(current().shares.get(who) ?? { unsent: 0, sum: 0 })
      return { isOpen: counted < limit, ...remainderOf(counted, limit) }
    },
    /** Runs one network's requests with limited concurrency. Further requests wait in order of arrival. */
    inLine: createLines(),
    /** Sends this process's counts to Redis, and receives the totals across all processes. */
    exchange: exchangeOneAtATime,
    close: (): void => clearInterval(timer),
  }
}

const remainderOf = (counted: number, limit: number): Omit<Standing, 'isOpen'> => ({
  remaining: Math.max(0, limit - counted),
  over: Math.max(0, counted - limit),
})

const countedOf = ({ unsent, sum }: Pick<Share, 'unsent' | 'sum'>): number => sum + unsent

/** Returns a caller's counts, or null if too many callers are already being counted. */
function shareOf(shares: Map<Counted, Share>, who: Counted, limit: number): Share | null {
  const known = shares.get(who)
  if (known !== undefined) return known
  if (shares.size === maxCounted) return null
  const share = { unsent: 0, sum: 0, limit }
  shares.set(who, share)
  return share
}

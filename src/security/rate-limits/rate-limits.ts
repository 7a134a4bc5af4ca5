import type { AddUp } from './add-up.ts'
import { createLines, type RunInLine } from './lines.ts'

/** A caller: an API key, a prefix that sends wrong credentials, or a prefix whose requests need no key. */
export type Counted = `key:${string}` | `address:${string}` | `visitor:${string}`

/** The state of a caller in this second. `isOpen` is false above the limit. */
export interface Standing {
  isOpen: boolean
  remaining: number
  /** How many requests over the limit the caller is. */
  over: number
}

/**
 * Limits each caller's requests per clock second, across all processes. Decides in memory, so no request waits for
 * Redis. `perSecond` applies to callers that have no limit of their own.
 */
export interface RateLimits {
  perSecond: number
  /** Counts one request, or a request that costs as much as `requests` ordinary ones. */
  count(who: Counted, limit?: number, requests?: number): Standing
  /** A caller's standing before its next request. Counts nothing. */
  look(who: Counted, limit?: number): Standing
  /** Runs one network's requests with limited concurrency. Further requests wait in order of arrival. */
  inLine: RunInLine
  /** Sends this process's counts to Redis, and receives the totals across all processes. */
  exchange(): Promise<void>
  close(): void
}

/** One caller's requests in this second, as far as this process knows. */
interface Share {
  /** Counted by this process but not sent to Redis yet. */
  unsent: number
  /** The total across all processes, as far as this process knows. */
  sum: number
  limit: number
}

/** A clock second and its counts. */
interface Second {
  at: number
  shares: Map<Counted, Share>
}

/** The delay with which processes learn each other's counts. Four small calls a second are negligible for Redis. */
const exchangeEveryMs = 250
/** A count must outlive its second in Redis, because processes disagree on the time by up to a second. */
const keptInRedisMs = 3000
/**
 * More callers than a process serves in a second, with up to four prefixes for each request: about 8 MB until the next
 * second. Further callers are not counted in that second. If they were refused, a flood would shut out every caller.
 */
const maxCounted = 20_000
/** The largest batch. It takes a few milliseconds, and the rest goes into the next. */
const maxBatch = 1000
/**
 * A process reports a caller to Redis once it has counted this share of the limit since its last report. Most keys
 * never send that many requests. Each process may therefore let through 3 % more.
 */
const minShareToSend = 0.03

export function createRateLimits(perSecond: number, addUp: AddUp, now: () => Date): RateLimits {
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
      // Added here even if Redis does not respond: this process then continues with its own counts.
      share.sum += by
    }
    const sums = await addUp(
      batch.map(({ who, by }) => [`${at}:${who}`, by]),
      keptInRedisMs,
    )
    for (const [index, { share }] of batch.entries()) share.sum = Math.max(share.sum, sums?.[index] ?? 0)
  }

  /** Never starts a second exchange, however slow Redis is. */
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
    count(who, limit = perSecond, requests = 1) {
      const share = shareOf(current().shares, who, limit)
      if (share === null) return { isOpen: true, remaining: limit, over: 0 }
      share.unsent += requests
      const counted = countedOf(share)
      return { isOpen: counted <= limit, ...remainderOf(counted, limit) }
    },
    look(who, limit = perSecond) {
      const counted = countedOf(current().shares.get(who) ?? { unsent: 0, sum: 0 })
      return { isOpen: counted < limit, ...remainderOf(counted, limit) }
    },
    inLine: createLines(),
    exchange: exchangeOneAtATime,
    close: () => clearInterval(timer),
  }
}

const remainderOf = (counted: number, limit: number): Omit<Standing, 'isOpen'> => ({
  remaining: Math.max(0, limit - counted),
  over: Math.max(0, counted - limit),
})

const countedOf = ({ unsent, sum }: Pick<Share, 'unsent' | 'sum'>): number => sum + unsent

/** Returns a caller's share, or null if too many callers are already being counted. */
function shareOf(shares: Map<Counted, Share>, who: Counted, limit: number): Share | null {
  const known = shares.get(who)
  if (known !== undefined) return known
  if (shares.size === maxCounted) return null
  const share = { unsent: 0, sum: 0, limit }
  shares.set(who, share)
  return share
}

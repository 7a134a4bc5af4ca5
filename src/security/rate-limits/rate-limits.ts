import type { AddUp } from './add-up.ts'
import { createLines, type InLine } from './lines.ts'

/** Who is counted: an API key, a prefix whose credentials are refused, or a prefix that sends requests that need no key. */
export type Counted = `key:${string}` | `address:${string}` | `visitor:${string}`

/** Where somebody stands in this second: open up to the limit, closed above it. */
export interface Standing {
  isOpen: boolean
  remaining: number
  /** By how many requests the limit is exceeded. */
  over: number
}

/**
 * Limits the requests of each caller per clock second, over all processes. Decides in memory, so no request waits for Redis. `perSecond`
 * applies to callers without a limit of their own.
 */
export interface RateLimits {
  perSecond: number
  /** Counts one request, or one that costs as much as `requests`. */
  count(who: Counted, limit?: number, requests?: number): Standing
  /** The standing of a caller before its next request. Counts nothing. */
  look(who: Counted, limit?: number): Standing
  /** Where those of one network wait for one another. */
  inLine: InLine
  /** Tells Redis what was counted here, and learns what the others counted. */
  exchange(): Promise<void>
  close(): void
}

/** What one process has of somebody in this second. */
interface Share {
  /** Counted here, and not told yet. */
  untold: number
  /** What all processes had counted as far as this one knows. */
  sum: number
  limit: number
}

/** A second of the clock and all that was counted in it. */
interface Second {
  at: number
  shares: Map<Counted, Share>
}

/** Two processes that share a key know of one another so much later. Four small trips a second are nothing to Redis. */
const exchangeEveryMs = 250
/** A count must outlive its second in Redis, because processes disagree on the time by up to a second. */
const keptInRedisMs = 3000
/**
 * More than a process serves in a second, with up to four prefixes for each request: some 8 MB, until a request comes in another second. Callers
 * beyond this are not counted in that second: to refuse them would let a flood shut out everybody.
 */
const mostCounted = 20_000
/** One trip of some milliseconds; what is left goes with the next. */
const mostTold = 1000
/**
 * A process reports a caller to Redis once it has counted this share of the limit since its last report. Most keys never send as much. Each
 * process may therefore let through 3 % more.
 */
const worthTelling = 0.03

export function createRateLimits(perSecond: number, addUp: AddUp, now: () => Date): RateLimits {
  let latest: Second = { at: 0, shares: new Map() }
  let exchanging = false

  function current(): Second {
    const at = Math.floor(now().getTime() / 1000)
    if (at !== latest.at) latest = { at, shares: new Map() }
    return latest
  }

  async function exchange({ at, shares }: Second): Promise<void> {
    const told = [...shares]
      .filter(([, { untold, limit }]) => untold > 0 && untold >= limit * worthTelling)
      .slice(0, mostTold)
      .map(([who, share]) => ({ who, share, by: share.untold }))
    if (told.length === 0) return
    for (const { share, by } of told) {
      share.untold = 0
      // Whether or not Redis hears it: without an answer this process goes on alone.
      share.sum += by
    }
    const sums = await addUp(
      told.map(({ who, by }) => [`${at}:${who}`, by]),
      keptInRedisMs,
    )
    for (const [index, { share }] of told.entries()) share.sum = Math.max(share.sum, sums?.[index] ?? 0)
  }

  /** One at a time, however slow Redis is. */
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
      share.untold += requests
      const counted = countedOf(share)
      return { isOpen: counted <= limit, ...spanOf(counted, limit) }
    },
    look(who, limit = perSecond) {
      const counted = countedOf(current().shares.get(who) ?? { untold: 0, sum: 0 })
      return { isOpen: counted < limit, ...spanOf(counted, limit) }
    },
    inLine: createLines(),
    exchange: exchangeOneAtATime,
    close: () => clearInterval(timer),
  }
}

const spanOf = (counted: number, limit: number): Omit<Standing, 'isOpen'> => ({
  remaining: Math.max(0, limit - counted),
  over: Math.max(0, counted - limit),
})

const countedOf = ({ untold, sum }: Pick<Share, 'untold' | 'sum'>): number => sum + untold

/** Null where there are too many others. */
function shareOf(shares: Map<Counted, Share>, who: Counted, limit: number): Share | null {
  const known = shares.get(who)
  if (known !== undefined) return known
  if (shares.size === mostCounted) return null
  const share = { untold: 0, sum: 0, limit }
  shares.set(who, share)
  return share
}

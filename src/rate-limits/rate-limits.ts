import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { AddUp } from '../sums.ts'

/** Who is counted: an API key, or an address whose credentials are refused. */
export type Counted = `key:${string}` | `address:${string}`

/** Where somebody stands in this second: open up to the limit, closed above it. */
export interface Standing {
  isOpen: boolean
  remaining: number
}

/** So many in a second of the clock, of each of them, over all processes. Decided in memory: nobody waits for Redis. */
export interface RateLimits {
  perSecond: number
  /** Counts one. */
  count(who: Counted): Promise<Standing>
  /** Where the next one would find it; counts nothing. */
  look(who: Counted): Promise<Standing>
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
}

/** Two processes that share a key know of one another so much later. Four small trips a second are nothing to Redis. */
const exchangeEveryMs = 250
/** A count must outlive its second; the clock of the library is not ours. */
const keptSeconds = 2
/** The same in Redis, where processes meet whose clocks are up to a second apart. */
const keptInRedisMs = 3000
/** More than a process answers in a second. Whoever comes beyond is not counted in it: to close them out would let a flood shut out everybody. */
const mostCounted = 20_000
/** One trip of some milliseconds; what is left goes with the next. */
const mostTold = 1000
/** Less than this part of the limit is not worth a word: most keys never send as much, and it makes a limit wrong by one hundredth. */
const worthTelling = 0.01

export function createRateLimits(perSecond: number, addUp: AddUp, now: () => Date): RateLimits {
  const limiter = new RateLimiterMemory({ points: perSecond, duration: keptSeconds, keyPrefix: '' })
  let second = 0
  let shares = new Map<Counted, Share>()
  let exchanging = false

  /** What somebody is counted under in this second. The shares of the one before are of no more use. */
  function nameOf(who: Counted): string {
    const current = Math.floor(now().getTime() / 1000)
    if (current !== second) {
      second = current
      shares = new Map()
    }
    return `${second}:${who}`
  }

  async function exchange(): Promise<void> {
    const told = [...shares]
      .filter(([, { untold }]) => untold > 0 && untold >= perSecond * worthTelling)
      .slice(0, mostTold)
      .map(([who, share]) => ({ name: `${second}:${who}`, share, by: share.untold }))
    if (told.length === 0) return
    for (const { share, by } of told) {
      share.untold = 0
      // Whether or not Redis hears it: without an answer this process goes on alone.
      share.sum += by
    }
    const sums = await addUp(
      told.map(({ name, by }) => [name, by]),
      keptInRedisMs,
    )
    for (const [index, { name, share }] of told.entries()) {
      const sum = sums?.[index] ?? share.sum
      const elsewhere = sum - share.sum
      share.sum = sum
      if (elsewhere > 0) await limiter.penalty(name, elsewhere)
    }
  }

  /** One at a time, however slow Redis is. */
  async function exchangeInTurn(): Promise<void> {
    if (exchanging) return
    exchanging = true
    await exchange().finally(() => {
      exchanging = false
    })
  }

  const standing = (counted: number, open: boolean): Standing => ({
    isOpen: open,
    remaining: Math.max(0, perSecond - counted),
  })
  const timer = setInterval(() => void exchangeInTurn(), exchangeEveryMs)
  timer.unref()

  return {
    perSecond,
    async count(who) {
      const name = nameOf(who)
      const share = shares.get(who)
      if (share !== undefined) share.untold += 1
      else if (shares.size < mostCounted) shares.set(who, { untold: 1, sum: 0 })
      else return standing(0, true)
      const { consumedPoints } = await limiter.penalty(name, 1)
      return standing(consumedPoints, consumedPoints <= perSecond)
    },
    async look(who) {
      const counted = (await limiter.get(nameOf(who)))?.consumedPoints ?? 0
      return standing(counted, counted < perSecond)
    },
    exchange: exchangeInTurn,
    close: () => clearInterval(timer),
  }
}

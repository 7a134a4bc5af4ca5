import { setTimeout as pause } from 'node:timers/promises'
import type { Response } from 'express'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type ErrorCode, Refusal, refuse, unavailable } from '../../errors.ts'
import type { Standing } from '../../security/rate-limits/rate-limits.ts'
import { delayRefusal, prefixLimits } from '../pages/limit-visitors.ts'

type Limiting = Pick<Deps, 'rateLimits'>

/** The longest delay of a refusal, short enough not to look like a hang. */
const maxDelayMs = 5_000

/**
 * Throws RATE_LIMITED for a key over its limit (order of checks, 6). Sets the RateLimit headers of the response. A
 * refusal costs nearly as much as a read, so only the first `perSecond` refusals are immediate. Later ones are delayed
 * by up to `maxDelayMs`.
 */
export async function limitKey(deps: Limiting, caller: Caller, res: Response): Promise<void> {
  if (deps.rateLimits === null) return
  const perSecond = caller.limits.perSecond ?? deps.rateLimits.perSecond
  const standing = deps.rateLimits.count(`key:${caller.keyId}`, perSecond)
  setRateLimitHeaders(res, 'key', perSecond, standing)
  if (standing.isOpen) return
  const seconds = (standing.over - 1) / perSecond
  if (seconds >= 1) await pause(Math.min(maxDelayMs, seconds * 1000))
  throw tooMany('key', perSecond)
}

/**
 * Counts a request that costs as much as `requests` requests; the first of these is already counted. Throws
 * RATE_LIMITED if the key is over its limit, so of many such requests in one clock second, the first one runs. It may
 * itself exceed the limit, and the key is then refused until that clock second ends.
 */
export function limitCostly({ rateLimits }: Limiting, { keyId, limits }: Caller, requests: number): void {
  if (rateLimits === null || requests <= 1) return
  const perSecond = limits.perSecond ?? rateLimits.perSecond
  const who = `key:${keyId}` as const
  if (!rateLimits.look(who, perSecond + 1).isOpen) throw tooMany('key', perSecond)
  rateLimits.count(who, perSecond, requests - 1)
}

const unknownCaller: ReadonlySet<ErrorCode> = new Set([
  'MISSING_CREDENTIALS',
  'INVALID_AUTH_HEADER',
  'INVALID_API_KEY',
])

/**
 * Looks up the credentials of a request with `recognise`. Throws RATE_LIMITED without a lookup if the network of the
 * address, or a larger prefix, has sent too many requests without known credentials in this second (order of checks,
 * 3). That refusal is delayed by a second or two (limit-visitors.ts). A network runs at most as many lookups at once as
 * its limit has left. Other requests wait for one of these to end, so a valid key is not refused because many valid
 * requests arrive at once. After `deadlineAt` they get SERVICE_UNAVAILABLE. A known key that is refused (4 and 5) does
 * not count. If it counted for the key, strangers could use up its limit. If it counted for the address, other keys
 * there would suffer. Such a refusal therefore always costs a lookup, but concurrent lookups share one round trip.
 */
export async function limitUnknown<Known>(
  deps: Limiting,
  clientAddress: string,
  res: Response,
  deadlineAt: number,
  recognise: () => Promise<Known>,
): Promise<Known> {
  const { rateLimits } = deps
  if (rateLimits === null) return recognise()
  const prefixes = prefixLimits(clientAddress, rateLimits).map(
    ({ range, limit }) => [`address:${range}`, limit] as const,
  )
  const remainingLookups = () => {
    if (performance.now() > deadlineAt) throw unavailable()
    const standings = prefixes.map((prefix) => rateLimits.look(...prefix))
    if (standings.every(({ isOpen }) => isOpen))
      return Math.min(...standings.map(({ remaining }) => remaining))
    setRateLimitHeaders(res, 'address', rateLimits.perSecond, { remaining: 0 })
    throw tooMany('address', rateLimits.perSecond)
  }
  const recogniseCounted = async () => {
    try {
      return await recognise()
    } catch (error) {
      if (error instanceof Refusal && unknownCaller.has(error.code))
        for (const prefix of prefixes) rateLimits.count(...prefix)
      throw error
    }
  }
  const [[own] = ['']] = prefixes
  try {
    return await rateLimits.inLine(own, remainingLookups, recogniseCounted)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'RATE_LIMITED') await delayRefusal()
    throw error
  }
}

/**
 * Sets the headers of draft-ietf-httpapi-ratelimit-headers-10. The window is one second, so it resets within a second.
 */
function setRateLimitHeaders(
  res: Response,
  scope: 'key' | 'address',
  perSecond: number,
  { remaining }: Pick<Standing, 'remaining'>,
): void {
  res.setHeader('RateLimit-Policy', `"${scope}";q=${perSecond};w=1`)
  res.setHeader('RateLimit', `"${scope}";r=${remaining};t=1`)
}

function tooMany(scope: 'key' | 'address', perSecond: number): Refusal {
  return refuse('RATE_LIMITED', {
    retryAfterSeconds: 1,
    details: { scope, limit: perSecond, windowSeconds: 1 },
  })
}

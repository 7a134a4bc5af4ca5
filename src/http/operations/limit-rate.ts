import { setTimeout as pause } from 'node:timers/promises'
import type { Response } from 'express'
import type { Caller } from '../../businesses/caller.ts'
import type { Counted, RateLimits } from '../../limits/rate.ts'
import type { Deps } from '../../platform/deps.ts'
import { type ErrorCode, Refusal } from '../../platform/errors.ts'
import { prefixesOf } from '../../platform/network.ts'
import { delayRefusal, prefixLimits } from '../pages/limit-visitors.ts'

type Limiting = Pick<Deps, 'rateLimits'>
type Scope = 'key' | 'address'

/** Anything longer could be mistaken for a hang. */
const maxDelayMs = 5_000

/** What one network gets of a publishable key's limit, because anyone can read such a key in a browser. */
const shareOfNetwork = 1 / 10

/**
 * Throws RATE_LIMITED if the key is over its limit, or the network that uses a publishable key (step 6 in the order of
 * checks, docs/maintainers/decisions.md). A request that is refused for its network doesn't count for the key, and
 * while the key is over its limit, networks aren't counted.
 */
export async function limitKey({ rateLimits }: Limiting, caller: Caller, res: Response): Promise<void> {
  if (rateLimits === null) return
  const perSecond = caller.limits.perSecond ?? rateLimits.perSecond
  const who = `key:${caller.keyId}` as const
  const [network] =
    caller.kind === 'publishable' && rateLimits.look(who, perSecond).isOpen ? prefixesOf(caller.ip) : []
  if (network !== undefined)
    await limitTo(
      rateLimits,
      res,
      'address',
      `${who} ${network.range}`,
      Math.ceil(perSecond * shareOfNetwork),
    )
  await limitTo(rateLimits, res, 'key', who, perSecond)
}

/**
 * A network's RateLimit headers stay unless the key is over its limit. Rejecting costs nearly as much as a read, so
 * only the first `perSecond` rejections in each clock second are immediate; the others wait up to `maxDelayMs`.
 */
async function limitTo(rateLimits: RateLimits, res: Response, scope: Scope, who: Counted, perSecond: number) {
  const standing = rateLimits.count(who, perSecond)
  if (!standing.isOpen || !res.hasHeader('RateLimit'))
    setRateLimitHeaders(res, scope, perSecond, standing.remaining)
  if (standing.isOpen) return
  const seconds = (standing.over - 1) / perSecond
  if (seconds >= 1) await pause(Math.min(maxDelayMs, seconds * 1000))
  throw rateLimits.refusal(scope, perSecond)
}

/**
 * Charges a request that costs as much as `requests` ordinary ones, one of which is already counted. Throws
 * RATE_LIMITED only if the key is over its limit before, so the first expensive request in each clock second always
 * runs, and may get the key's other requests rejected until that second ends.
 */
export function limitCostly({ rateLimits }: Limiting, { keyId, limits }: Caller, requests: number): void {
  if (rateLimits === null || requests <= 1) return
  const perSecond = limits.perSecond ?? rateLimits.perSecond
  const who = `key:${keyId}` as const
  if (rateLimits.look(who, perSecond).over > 0) throw rateLimits.refusal('key', perSecond)
  rateLimits.count(who, perSecond, requests - 1)
}

const unknownCaller: ReadonlySet<ErrorCode> = new Set([
  'MISSING_CREDENTIALS',
  'INVALID_AUTH_HEADER',
  'INVALID_API_KEY',
])

/**
 * Looks up credentials with `recognise`. Throws RATE_LIMITED without a lookup if the client's network, or a larger
 * prefix around it, has sent too many requests without known credentials this second (step 3 in the order of checks,
 * docs/maintainers/decisions.md). That error is delayed (src/http/pages/limit-visitors.ts).
 * Requests whose lookups are still running don't count yet, so no valid key is refused because many arrive at once. A
 * request refused in spite of a known key (steps 4 and 5) never counts: a stranger with a publishable key could
 * otherwise use up its limit, or that of an address for other keys.
 */
export async function limitUnknown<Known>(
  { rateLimits }: Limiting,
  clientAddress: string,
  res: Response,
  recognise: () => Promise<Known>,
): Promise<Known> {
  if (rateLimits === null) return recognise()
  const prefixes = prefixLimits(clientAddress, rateLimits)
  if (!prefixes.every(({ range, limit }) => rateLimits.look(`address:${range}`, limit).isOpen)) {
    setRateLimitHeaders(res, 'address', rateLimits.perSecond, 0)
    await delayRefusal(rateLimits)
    throw rateLimits.refusal('address', rateLimits.perSecond)
  }
  try {
    return await recognise()
  } catch (error) {
    if (error instanceof Refusal && unknownCaller.has(error.code))
      for (const { range, limit } of prefixes) rateLimits.count(`address:${range}`, limit)
    throw error
  }
}

/** As in draft-ietf-httpapi-ratelimit-headers-10. The window is one second, so the reset time is always 1. */
function setRateLimitHeaders(res: Response, scope: Scope, perSecond: number, remaining: number): void {
  res.setHeader('RateLimit-Policy', `"${scope}";q=${perSecond};w=1`)
  res.setHeader('RateLimit', `"${scope}";r=${remaining};t=1`)
}

import type { Response } from 'express'
import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { type ErrorCode, Refusal, refuse, unavailable } from '../errors.ts'
import type { Standing } from '../rate-limits/rate-limits.ts'
import { holdBack, prefixLimits } from './limit-visitors.ts'

type Limiting = Pick<Deps, 'rateLimits'>

/** RATE_LIMITED for a key that sends too much (order of checks, 6). Every answer from here on says where the key stands. */
export function limitKey(deps: Limiting, caller: Caller, res: Response): void {
  if (deps.rateLimits === null) return
  const perSecond = caller.limits.perSecond ?? deps.rateLimits.perSecond
  const standing = deps.rateLimits.count(`key:${caller.keyId}`, perSecond)
  sayWhere(res, 'key', perSecond, standing)
  if (!standing.isOpen) throw tooMany('key', perSecond)
}

/**
 * Counts a request that costs as much as `requests` others, beyond the one that it is itself. RATE_LIMITED if the key is over its limit, so of
 * many such requests that arrive at once the first runs. It may itself exceed the limit: its key is then refused until the second is over.
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
 * RATE_LIMITED, before its credentials are looked at, for an address whose network, or one of its larger prefixes, sent too many unknown
 * callers (order of checks, 3). The refusal waits a second or two, as that of any visitor (limit-visitors.ts). Only unknown callers count. So
 * that of many at once no more of them come in than the limit lets, no more are looked at than are left of it: the others wait for one to be
 * done, until `until` (SERVICE_UNAVAILABLE), and whoever has a key is never refused for others who have one. Who has a key that is refused (4
 * and 5) counts for nobody: not for the key, which strangers to its address would use up, nor for the address, whose other keys would pay for
 * it. What that costs is a look-up, and look-ups that come at once share a trip.
 */
export async function limitUnknown<Known>(
  deps: Limiting,
  clientAddress: string,
  res: Response,
  until: number,
  recognise: () => Promise<Known>,
): Promise<Known> {
  const { rateLimits } = deps
  if (rateLimits === null) return recognise()
  const prefixes = prefixLimits(clientAddress, rateLimits).map(
    ({ range, limit }) => [`address:${range}`, limit] as const,
  )
  const room = () => {
    if (performance.now() > until) throw unavailable()
    const standings = prefixes.map((prefix) => rateLimits.look(...prefix))
    if (standings.every(({ isOpen }) => isOpen))
      return Math.min(...standings.map(({ remaining }) => remaining))
    sayWhere(res, 'address', rateLimits.perSecond, { remaining: 0 })
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
    return await rateLimits.inLine(own, room, recogniseCounted)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'RATE_LIMITED') await holdBack()
    throw error
  }
}

/** draft-ietf-httpapi-ratelimit-headers-10. A window is a second, so what is left of it is one at most. */
function sayWhere(
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

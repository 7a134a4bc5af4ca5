import { setTimeout as pause } from 'node:timers/promises'
import type { Response } from 'express'
import type { Caller } from '../../businesses/caller.ts'
import type { RateLimitOwner, RateLimits } from '../../limits/rate.ts'
import type { Deps } from '../../platform/deps.ts'
import { type ErrorCode, Refusal } from '../../platform/errors.ts'
import { ipPrefixesOf } from '../../platform/network.ts'
import { delayRefusal, limitsPerPrefix } from '../pages/limit-visitors.ts'

type Limiting = Pick<Deps, 'rateLimits'>
type Scope = 'key' | 'address'

/** Clients could mistake a longer delay for a hang. */
const maxDelayMs = 5_000

/** Anyone can see a publishable key, so no one network may use up its limit. */
const shareOfNetwork = 1 / 10

/** Requests over a network's limit don't count towards the key's (step 6). */
export async function limitKeyRate({ rateLimits }: Limiting, caller: Caller, res: Response): Promise<void> {
  if (rateLimits === null) return
  const perSecond = caller.limits.perSecond ?? rateLimits.perSecond
  const who = `key:${caller.keyId}` as const
  const [network] =
    caller.kind === 'publishable' && rateLimits.look(who, perSecond).isOpen ? ipPrefixesOf(caller.ip) : []
  const ofNetwork = Math.ceil(perSecond * shareOfNetwork)
  if (network !== undefined) await limitTo(rateLimits, res, 'address', `${who} ${network.range}`, ofNetwork)
  await limitTo(rateLimits, res, 'key', who, perSecond)
}

/** A rejection costs nearly as much as a read, so a flood is slowed down. */
async function limitTo(
  rateLimits: RateLimits,
  res: Response,
  scope: Scope,
  who: RateLimitOwner,
  perSecond: number,
) {
  const standing = rateLimits.count(who, perSecond)
  if (!standing.isOpen || !res.hasHeader('RateLimit'))
    setRateLimitHeaders(res, scope, perSecond, standing.remaining)
  if (standing.isOpen) return
  const seconds = (standing.over - 1) / perSecond
  if (seconds >= 1) await pause(Math.min(maxDelayMs, seconds * 1000))
  throw rateLimits.refusal(scope, perSecond)
}

/** The first costly request in each second is always allowed. */
export function limitCostlyCall({ rateLimits }: Limiting, { keyId, limits }: Caller, requests: number): void {
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
 * Counts failed lookups per network (step 3 in docs/maintainers/decisions.md).
 * Known keys don't count, because anyone may have a publishable one.
 */
export async function limitUnknownKeys<Known>(
  { rateLimits }: Limiting,
  clientAddress: string,
  res: Response,
  recognise: () => Promise<Known>,
): Promise<Known> {
  if (rateLimits === null) return recognise()
  const prefixes = limitsPerPrefix(clientAddress, rateLimits)
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

/** Follows draft-ietf-httpapi-ratelimit-headers-10. */
function setRateLimitHeaders(res: Response, scope: Scope, perSecond: number, remaining: number): void {
  res.setHeader('RateLimit-Policy', `"${scope}";q=${perSecond};w=1`)
  res.setHeader('RateLimit', `"${scope}";r=${remaining};t=1`)
}

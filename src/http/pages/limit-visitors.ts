import { setTimeout as pause } from 'node:timers/promises'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { RateLimits } from '../../limits/rate.ts'
import type { Deps } from '../../platform/deps.ts'
import { prefixesOf } from '../../platform/network.ts'
import { isProbe } from '../server/log-request.ts'

/**
 * Delays the error response to a request that exceeds its network's limit. Such responses cost this process nearly as
 * much as pages do, but the delay limits a flood to one response per second on each connection. The delay is random so
 * that the clients do not all retry at the same moment.
 */
export const delayRefusal = ({ refusalDelayMs }: Pick<RateLimits, 'refusalDelayMs'>): Promise<void> =>
  pause(refusalDelayMs * (1 + Math.random()))

/** The limit for each prefix is this many times the limit for the next smaller prefix. */
const perSize = 3

/** Returns the prefixes that contain an address, smallest first, each with its limit per second. */
export const prefixLimits = (ip: string, { perSecond }: Pick<RateLimits, 'perSecond'>) =>
  prefixesOf(ip).map(({ range }, size) => ({ range, limit: perSecond * perSize ** size }))

/**
 * Limits how many requests without an API key each network may send, so that one visitor cannot monopolise the process.
 * If a request exceeds the limit of one of its address's prefixes, it is rejected with RATE_LIMITED after one to two
 * seconds. `scope` returns the scope to report in that error. A health probe is delayed but never rejected.
 */
export function limitVisitors(
  { rateLimits }: Pick<Deps, 'rateLimits'>,
  scope: (req: Request) => 'polls' | 'address',
): RequestHandler {
  return async (req: Request, _res: Response, next: NextFunction): Promise<void> => {
    if (rateLimits === null) return next()
    // Counting stops at the first prefix that is over its limit, so that its excess requests do not use up the limits
    // of larger prefixes.
    const closed = prefixLimits(req.ip ?? '', rateLimits).find(
      ({ range, limit }) => !rateLimits.count(`visitor:${range}`, limit).isOpen,
    )
    if (closed === undefined) return next()
    await delayRefusal(rateLimits)
    if (isProbe(req)) return next()
    throw rateLimits.refusal(scope(req), closed.limit)
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { RateLimits } from '../../limits/rate.ts'
import type { Deps } from '../../platform/deps.ts'
import { prefixesOf } from '../../platform/network.ts'
import { isProbe } from '../server/log-request.ts'

/**
 * Sending a refusal costs nearly as much as sending a page, but with the delay a flood gets only one per second and
 * connection. It's random, so that clients don't all retry at the same moment.
 */
export const delayRefusal = ({ refusalDelayMs }: Pick<RateLimits, 'refusalDelayMs'>): Promise<void> =>
  pause(refusalDelayMs * (1 + Math.random()))

/** Each prefix may send this many times what the next smaller one may. */
const perSize = 3

/** Smallest prefix first, each with its limit per second. */
export const prefixLimits = (ip: string, { perSecond }: Pick<RateLimits, 'perSecond'>) =>
  prefixesOf(ip).map(({ range }, size) => ({ range, limit: perSecond * perSize ** size }))

/**
 * Keeps one visitor without an API key from monopolising the process. A network over its limit gets RATE_LIMITED, for
 * the `scope` returned, after one to two seconds. Health probes are delayed but never rejected.
 */
export function limitVisitors(
  { rateLimits }: Pick<Deps, 'rateLimits'>,
  scope: (req: Request) => 'polls' | 'address',
): RequestHandler {
  return async (req: Request, _res: Response, next: NextFunction): Promise<void> => {
    if (rateLimits === null) return next()
    // Stops at the first prefix over its limit: excess requests don't count for larger prefixes.
    const closed = prefixLimits(req.ip ?? '', rateLimits).find(
      ({ range, limit }) => !rateLimits.count(`visitor:${range}`, limit).isOpen,
    )
    if (closed === undefined) return next()
    await delayRefusal(rateLimits)
    if (isProbe(req)) return next()
    throw rateLimits.refusal(scope(req), closed.limit)
  }
}

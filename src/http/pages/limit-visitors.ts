import { setTimeout as pause } from 'node:timers/promises'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { RateLimits } from '../../limits/rate.ts'
import type { Deps } from '../../platform/deps.ts'
import { ipPrefixesOf } from '../../platform/network.ts'
import { isProbeRequest } from '../server/log-request.ts'

/** A random delay spreads out the clients' retries. */
export const delayRefusal = ({ refusalDelayMs }: Pick<RateLimits, 'refusalDelayMs'>): Promise<void> =>
  pause(refusalDelayMs * (1 + Math.random()))

/** The limit grows by this factor with each larger prefix. */
const perSize = 3

export const limitsPerPrefix = (ip: string, { perSecond }: Pick<RateLimits, 'perSecond'>) =>
  ipPrefixesOf(ip).map(({ range }, size) => ({ range, limit: perSecond * perSize ** size }))

/** Health probes are delayed but never refused. */
export function limitVisitors(
  { rateLimits }: Pick<Deps, 'rateLimits'>,
  scope: (req: Request) => 'polls' | 'address',
): RequestHandler {
  return async (req: Request, _res: Response, next: NextFunction): Promise<void> => {
    if (rateLimits === null) return next()
    // `find` stops early, so larger prefixes don't count excess requests.
    const closed = limitsPerPrefix(req.ip ?? '', rateLimits).find(
      ({ range, limit }) => !rateLimits.count(`visitor:${range}`, limit).isOpen,
    )
    if (closed === undefined) return next()
    await delayRefusal(rateLimits)
    if (isProbeRequest(req)) return next()
    throw rateLimits.refusal(scope(req), closed.limit)
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { prefixesOf } from '../../security/network.ts'
import type { RateLimits } from '../../security/rate-limits/rate-limits.ts'
import { isProbe } from '../server/probe.ts'

/**
 * Delays the error response to a request that exceeds its network's limit. An immediate response would cost this
 * process nearly as much as a page. With the delay, a flood gets at most one such response per second on each
 * connection. The delay is random, so that the clients in a flood do not all retry at the same moment.
 */
export const delayRefusal = (): Promise<void> => pause(1000 + Math.random() * 1000)

/** The limit for each prefix size is this many times the limit for the next smaller size. */
const perSize = 3

/** How many requests per second may come from one prefix of an address. */
export interface PrefixLimit {
  range: string
  limit: number
}

/** Returns the prefixes that contain an address, smallest first, each with its limit. */
export const prefixLimits = (ip: string, { perSecond }: Pick<RateLimits, 'perSecond'>): PrefixLimit[] =>
  prefixesOf(ip).map(({ range }, size) => ({ range, limit: perSecond * perSize ** size }))

/**
 * Limits how many requests without an API key each network may send, so that one visitor cannot occupy the process. A
 * request over the limit of one of its prefixes waits a second or two and then gets RATE_LIMITED. `scope` returns the
 * scope in that error. A probe is delayed but never rejected.
 */
export function limitVisitors(
  { rateLimits }: Pick<Deps, 'rateLimits'>,
  scope: (req: Request) => 'polls' | 'address',
): RequestHandler {
  return async (req: Request, _res: Response, next: NextFunction): Promise<void> => {
    if (rateLimits === null) return next()
    const closed = countVisit(rateLimits, req.ip ?? '')
    if (closed === null) return next()
    await delayRefusal()
    if (isProbe(req)) return next()
    throw refuse('RATE_LIMITED', {
      retryAfterSeconds: 1,
      details: { scope: scope(req), limit: closed.limit, windowSeconds: 1 },
    })
  }
}

/**
 * Counts a request towards each prefix, and returns the first prefix that is over its limit. Counting stops there, so
 * that a prefix over its limit does not use up the limits of larger prefixes.
 */
const countVisit = (rateLimits: RateLimits, ip: string): PrefixLimit | null =>
  prefixLimits(ip, rateLimits).find(
    ({ range, limit }) => !rateLimits.count(`visitor:${range}`, limit).isOpen,
  ) ?? null

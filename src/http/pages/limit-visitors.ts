import { setTimeout as pause } from 'node:timers/promises'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { prefixesOf } from '../../security/network.ts'
import type { RateLimits } from '../../security/rate-limits/rate-limits.ts'
import { isProbe } from '../server/probe.ts'

/**
 * Delays the refusal of a request over a limit of its network. An immediate refusal costs this process nearly as much
 * as a page. With the delay, a flood gets at most one refusal per second on each connection. The delay is random, so
 * that the clients of a flood do not all retry at the same moment.
 */
export const delayRefusal = (): Promise<void> => pause(1000 + Math.random() * 1000)

/** The limit of each prefix size is this many times the limit of the next smaller size. */
const perSize = 3

/** The requests per second that one prefix of an address may send. */
export interface PrefixLimit {
  range: string
  limit: number
}

/** The prefixes that contain an address, the smallest first, each with its limit. */
export const prefixLimits = (ip: string, { perSecond }: Pick<RateLimits, 'perSecond'>): PrefixLimit[] =>
  prefixesOf(ip).map(({ range }, size) => ({ range, limit: perSecond * perSize ** size }))

/**
 * Limits requests that need no API key by network, so that one visitor cannot occupy the process. Above the limit of
 * one of its prefixes a request waits a second or two and then gets RATE_LIMITED with this scope. A probe is delayed,
 * but never refused.
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
 * Counts a request at each prefix and returns the first one over its limit. Stops there, so that a prefix over its
 * limit does not use up the limits of larger prefixes.
 */
const countVisit = (rateLimits: RateLimits, ip: string): PrefixLimit | null =>
  prefixLimits(ip, rateLimits).find(
    ({ range, limit }) => !rateLimits.count(`visitor:${range}`, limit).isOpen,
  ) ?? null

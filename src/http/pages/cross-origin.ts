import type { NextFunction, Request, Response } from 'express'
import type { Route } from '../operations/route.ts'
import { send, success } from '../responses/envelope.ts'

/**
 * Whether scripts on any site may call a route. They may if a publishable key is enough, because such keys are public.
 */
export const isForBrowsers = (route: Route): boolean => 'key' in route && route.key === 'any'

/**
 * Lets scripts on any site read the response. The API uses no cookies, so a site does not gain its visitors' rights.
 */
export function letBrowsersRead(res: Response): void {
  res.setHeader('Access-Control-Allow-Origin', '*')
  res.setHeader('Access-Control-Expose-Headers', exposed)
}

/** The response headers that scripts may read. */
export const exposed = 'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After'
/** Chromium caches a preflight response for at most two hours. */
const maxAgeSeconds = 7200

/**
 * Responds to the preflight request that a browser sends before a request with a key. Passes on any other OPTIONS
 * request.
 */
export function respondToPreflight(req: Request, res: Response, next: NextFunction): void {
  if (req.headers.origin === undefined || req.headers['access-control-request-method'] === undefined)
    return next()
  letBrowsersRead(res)
  res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD')
  res.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type')
  res.setHeader('Access-Control-Max-Age', maxAgeSeconds)
  send(res, success(200, null))
}

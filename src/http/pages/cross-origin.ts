import type { NextFunction, Request, Response } from 'express'
import type { Route } from '../operations/route.ts'
import { send, success } from '../responses/envelope.ts'

/** Whether scripts of any site may call a route: where a publishable key is enough, which is made to be in a page. */
export const isForBrowsers = (route: Route): boolean => 'key' in route && route.key === 'any'

/** Lets a script read the answer, whatever it says. No cookie is ever looked at here, so the site it comes from gives it nothing. */
export function letBrowsersRead(res: Response): void {
  res.setHeader('Access-Control-Allow-Origin', '*')
  res.setHeader('Access-Control-Expose-Headers', exposed)
}

/** What a script may see besides the body. */
export const exposed = 'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After'
/** Two hours: the longest that Chromium keeps it. */
const keptSeconds = 7200

/** What a browser asks before it sends a request with a key. Any other OPTIONS goes on. */
export function respondToPreflight(req: Request, res: Response, next: NextFunction): void {
  if (req.headers.origin === undefined || req.headers['access-control-request-method'] === undefined)
    return next()
  letBrowsersRead(res)
  res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD')
  res.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type')
  res.setHeader('Access-Control-Max-Age', keptSeconds)
  send(res, success(200, null))
}

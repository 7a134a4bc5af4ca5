import type { NextFunction, Request, Response } from 'express'
import { send, success } from '../responses/envelope.ts'

/**
 * Lets scripts on any site read the response. This is safe because the API uses no cookies, so a site cannot act on
 * behalf of its visitors.
 */
export function letBrowsersRead(res: Response): void {
  res.setHeader('Access-Control-Allow-Origin', '*')
  res.setHeader('Access-Control-Expose-Headers', exposed)
}

/** The response headers that scripts may read. */
export const exposed = 'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After'
/** How long a browser may cache a preflight response. Chromium caches it for at most two hours. */
const maxAgeSeconds = 7200

/**
 * Responds to the preflight that a browser sends before a request with an API key. Passes any other OPTIONS request to
 * the next handler.
 */
export function respondToPreflight(req: Request, res: Response, next: NextFunction): void {
  if (req.headers.origin === undefined || req.headers['access-control-request-method'] === undefined) return next()
  letBrowsersRead(res)
  res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD')
  res.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type')
  res.setHeader('Access-Control-Max-Age', maxAgeSeconds)
  send(res, success(200, null))
}

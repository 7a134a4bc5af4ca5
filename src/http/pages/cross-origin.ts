import type { NextFunction, Request, Response } from 'express'
import { sendResponse, successResponse } from '../responses/envelope.ts'

/** Safe on any site, because the API uses no cookies. */
export function allowAnyOrigin(res: Response): void {
  res.setHeader('Access-Control-Allow-Origin', '*')
  res.setHeader('Access-Control-Expose-Headers', exposedHeaders)
}

export const exposedHeaders = 'X-Request-Id, RateLimit, RateLimit-Policy, Retry-After'
/** Chromium's maximum is two hours. */
const maxAgeSeconds = 7200

export function respondToPreflight(req: Request, res: Response, next: NextFunction): void {
  if (req.headers.origin === undefined || req.headers['access-control-request-method'] === undefined)
    return next()
  allowAnyOrigin(res)
  res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD')
  res.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type')
  res.setHeader('Access-Control-Max-Age', maxAgeSeconds)
  sendResponse(res, successResponse(200, null))
}

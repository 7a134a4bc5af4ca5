import type { Request } from 'express'
import { parseUrl } from '../../polyfills/parse-url.ts'

/**
 * Whether one of our own pages made a request. At least one of `Origin` and `Sec-Fetch-Site` must be present, and both
 * must agree. A proxy may change `Host`, so the host of `ourUrl`, the configured URL, is accepted as well.
 */
export function isFromOwnSite(req: Request, ourUrl: string): boolean {
  const { site, isOtherHost, hasOrigin } = readOrigin(req, ourUrl)
  if (isOtherHost) return false
  return site === undefined ? hasOrigin : site === 'same-origin'
}

/** Whether the headers show that a page of another site made a request. Missing headers and `Origin: null` do not. */
export function isFromOtherSite(req: Request, ourUrl: string): boolean {
  const { site, isOtherHost } = readOrigin(req, ourUrl)
  return isOtherHost || (site !== undefined && site !== 'same-origin' && site !== 'none')
}

function readOrigin(req: Request, ourUrl: string) {
  const { origin, 'sec-fetch-site': site } = req.headers
  const hasOrigin = origin !== undefined && origin !== 'null'
  const host = hasOrigin ? (parseUrl(origin)?.host ?? '') : null
  return {
    site,
    hasOrigin,
    isOtherHost: host !== null && host !== req.host && host !== parseUrl(ourUrl)?.host,
  }
}

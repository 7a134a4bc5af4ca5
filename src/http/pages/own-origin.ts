import type { Request } from 'express'
import { parseUrl } from '../../polyfills/parse-url.ts'

/**
 * Whether a request came from one of our own pages. At least one of `Origin` and `Sec-Fetch-Site` must be present, and
 * neither may contradict this. A proxy may change `Host`, so the host of `ourUrl`, the configured URL, is accepted as
 * well.
 */
export function isFromOwnSite(req: Request, ourUrl: string): boolean {
  const { site, isOtherHost, hasOrigin } = readOrigin(req, ourUrl)
  if (isOtherHost) return false
  return site === undefined ? hasOrigin : site === 'same-origin'
}

/**
 * Whether the headers show that a request came from a page on another site. Missing headers and `Origin: null` do not.
 */
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

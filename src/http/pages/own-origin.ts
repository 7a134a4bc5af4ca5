import type { Request } from 'express'
import { parseUrl } from '../../polyfills/parse-url.ts'

/**
 * Whether a request was made by a page of ours: all that the browser says must say so, and it must say something. A proxy may have
 * changed Host, so `ourUrl`, the configured one, counts as well.
 */
export function isFromOwnSite(req: Request, ourUrl: string): boolean {
  const { site, isOtherHost, isHostTold } = whatIsSaid(req, ourUrl)
  if (isOtherHost) return false
  return site === undefined ? isHostTold : site === 'same-origin'
}

/** Whether the browser says that a page of another site made a request. One that says nothing, or `Origin: null`, does not. */
export function isFromOtherSite(req: Request, ourUrl: string): boolean {
  const { site, isOtherHost } = whatIsSaid(req, ourUrl)
  return isOtherHost || (site !== undefined && site !== 'same-origin' && site !== 'none')
}

function whatIsSaid(req: Request, ourUrl: string) {
  const { origin, 'sec-fetch-site': site } = req.headers
  const isHostTold = origin !== undefined && origin !== 'null'
  const host = isHostTold ? (parseUrl(origin)?.host ?? '') : null
  return {
    site,
    isHostTold,
    isOtherHost: host !== null && host !== req.host && host !== parseUrl(ourUrl)?.host,
  }
}

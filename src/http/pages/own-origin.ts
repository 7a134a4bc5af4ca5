import type { Request } from 'express'

export const isSafeMethod = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** A proxy may change `Host`, so `Origin` may also match `ourUrl`. */
export function isFromOwnSite(req: Request, ourUrl: string): boolean {
  const { site, isOtherHost, hasOrigin } = readOrigin(req, ourUrl)
  return !isOtherHost && (site === undefined ? hasOrigin : site === 'same-origin')
}

/** Missing headers and `Origin: null` prove nothing. */
export function isFromOtherSite(req: Request, ourUrl: string): boolean {
  const { site, isOtherHost } = readOrigin(req, ourUrl)
  return isOtherHost || (site !== undefined && site !== 'same-origin' && site !== 'none')
}

function readOrigin(req: Request, ourUrl: string) {
  const { origin, 'sec-fetch-site': site } = req.headers
  const hasOrigin = origin !== undefined && origin !== 'null'
  const host = hasOrigin ? (URL.parse(origin)?.host ?? '') : null
  return {
    site,
    hasOrigin,
    isOtherHost: host !== null && host !== req.host && host !== URL.parse(ourUrl)?.host,
  }
}

import type { Request } from 'express'

export const isSafeMethod = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** True only if a header proves it. `Origin` may also match `ourUrl`, because a proxy may change `Host`. */
export function isFromOwnSite(req: Request, ourUrl: string): boolean {
  const { site, isOtherHost, hasOrigin } = readOrigin(req, ourUrl)
  return !isOtherHost && (site === undefined ? hasOrigin : site === 'same-origin')
}

/** False if the headers are missing or `Origin` is `null`, because that proves nothing. */
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

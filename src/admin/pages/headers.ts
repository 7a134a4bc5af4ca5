import type { RequestHandler } from 'express'
import helmet from 'helmet'
import type { Deps } from '../../deps.ts'

/** What a browser may do with a page of ours: no scripts, nothing from elsewhere, no frame around it, nothing kept. */
export function createHeaders(deps: Pick<Deps, 'config'>): RequestHandler[] {
  const year = 31_536_000
  return [
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          styleSrc: ["'self'"],
          imgSrc: ["'self'", 'data:'],
          formAction: ["'self'"],
          frameAncestors: ["'none'"],
          baseUri: ["'none'"],
        },
      },
      // `no-referrer` would make browsers send `Origin: null` with our own forms. No other site gets one with this either.
      referrerPolicy: { policy: 'same-origin' },
      strictTransportSecurity: deps.config.production ? { maxAge: year, includeSubDomains: false } : false,
      frameguard: { action: 'deny' },
    }),
    (_req, res, next) => {
      res.setHeader('Cache-Control', 'no-store')
      res.setHeader('X-Robots-Tag', 'noindex, nofollow')
      next()
    },
  ]
}

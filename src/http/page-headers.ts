import type { RequestHandler } from 'express'
import helmet from 'helmet'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'

/** What a page may do in a browser beyond being read and sending its forms to us. */
export interface PageRights {
  /** Scripts from our own files, which may ask us. */
  scripts: boolean
  images: boolean
  /** Who is told which page a request came from. With `no-referrer` browsers send `Origin: null` with our own forms. */
  referrer: 'same-origin' | 'no-referrer'
}

/** What a browser may do with a page of ours: what its rights say, nothing from elsewhere, no frame around it, nothing kept. */
export function createPageHeaders(deps: Pick<Deps, 'config'>, rights: PageRights): RequestHandler[] {
  return [
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          styleSrc: ["'self'"],
          ...(rights.scripts ? { scriptSrc: ["'self'"], connectSrc: ["'self'"] } : {}),
          imgSrc: [...(rights.images ? ["'self'"] : []), 'data:'],
          formAction: ["'self'"],
          frameAncestors: ["'none'"],
          baseUri: ["'none'"],
        },
      },
      referrerPolicy: { policy: rights.referrer },
      strictTransportSecurity: strictTransport(deps.config),
      frameguard: { action: 'deny' },
    }),
    (_req, res, next) => {
      res.setHeader('Cache-Control', 'no-store')
      res.setHeader('X-Robots-Tag', 'noindex, nofollow')
      next()
    },
  ]
}

/** A year, where the service is known to be reached by https; other names of the domain are somebody else's matter. */
export const strictTransport = ({ production, publicUrl }: Pick<Config, 'production' | 'publicUrl'>) =>
  production && publicUrl.startsWith('https:') ? { maxAge: 31_536_000, includeSubDomains: false } : false

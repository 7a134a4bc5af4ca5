import type { Request, Response } from 'express'
import helmet from 'helmet'
import type { Config } from '../../config.ts'
import type { Deps } from '../../deps.ts'

/** What a page may do in a browser beyond being read and sending its forms to us. */
export interface PageRights {
  /** Scripts from our own files, which may ask us. */
  scripts: boolean
  images: boolean
  /** Who is told which page a request came from. With `no-referrer` browsers send `Origin: null` with our own forms. */
  referrer: 'same-origin' | 'no-referrer'
}

/** Tells the browser what it may do with the page that is answered. */
export type SetPageHeaders = (req: Request, res: Response) => void

/** What a browser may do with a page of ours: what its rights say, nothing from elsewhere, no frame around it, nothing kept. */
export function createPageHeaders(deps: Pick<Deps, 'config'>, rights: PageRights): SetPageHeaders {
  const protect = helmet({
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
  })
  return (req, res) => {
    // All is set when it returns: no value of these has to be asked for.
    protect(req, res, () => undefined)
    res.setHeader('Cache-Control', 'no-store')
    res.setHeader('X-Robots-Tag', 'noindex, nofollow')
  }
}

/** A year, where the service is known to be reached by https; other names of the domain are somebody else's matter. */
export const strictTransport = ({ production, publicUrl }: Pick<Config, 'production' | 'publicUrl'>) =>
  production && publicUrl.startsWith('https:') ? { maxAge: 31_536_000, includeSubDomains: false } : false

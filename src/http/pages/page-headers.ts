import type { Request, Response } from 'express'
import helmet from 'helmet'
import type { Config } from '../../config.ts'
import type { Deps } from '../../deps.ts'

/** The rights of a page in a browser, besides showing text and sending forms to this service. */
export interface PageRights {
  /** Run scripts of this service, which may send requests to it. */
  scripts: boolean
  images: boolean
  /** The referrer policy. With `no-referrer`, browsers send `Origin: null` even with forms to this service. */
  referrer: 'same-origin' | 'no-referrer'
}

/** Sets the security headers of a page. */
export type SetPageHeaders = (req: Request, res: Response) => void

/** Restricts a page to its rights: it loads nothing from other sites, cannot be framed, and is not cached. */
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
    // Helmet has set its headers when it returns, because none of these values is computed asynchronously.
    protect(req, res, () => undefined)
    res.setHeader('Cache-Control', 'no-store')
    res.setHeader('X-Robots-Tag', 'noindex, nofollow')
  }
}

/** Requires https for a year if the public URL is https. Other hosts of the domain belong to other services. */
export const strictTransport = ({ production, publicUrl }: Pick<Config, 'production' | 'publicUrl'>) =>
  production && publicUrl.startsWith('https:') ? { maxAge: 31_536_000, includeSubDomains: false } : false

import type { Request, Response } from 'express'
import helmet from 'helmet'
import type { Config } from '../../config/config.ts'
import type { Deps } from '../../platform/deps.ts'

/** The permissions that a page has in a browser, in addition to showing text and submitting forms to this service. */
export interface PageRights {
  /** Whether the page may run this service's scripts, which may send requests to the service. */
  scripts: boolean
  images: boolean
  /**
   * The referrer policy. If it is `no-referrer`, browsers send `Origin: null` even when they submit forms to this
   * service.
   */
  referrer: 'strict-origin' | 'no-referrer'
}

/** Sets the security headers of a page. */
export type SetPageHeaders = (req: Request, res: Response) => void

/**
 * Creates the function that sets a page's security headers. The page has only the permissions in `rights`, loads
 * nothing from other sites, cannot be framed and is not cached.
 */
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
    // Helmet sets its headers before it returns, because none of these values is computed asynchronously.
    protect(req, res, () => undefined)
    res.setHeader('Cache-Control', 'no-store')
    res.setHeader('X-Robots-Tag', 'noindex, nofollow')
  }
}

/**
 * Makes browsers use HTTPS for a year if the public URL uses HTTPS. Subdomains are not included, because they may
 * belong to other services.
 */
export const strictTransport = ({ production, publicUrl }: Pick<Config, 'production' | 'publicUrl'>) =>
  production && publicUrl.startsWith('https:') ? { maxAge: 31_536_000, includeSubDomains: false } : false

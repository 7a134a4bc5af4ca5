import type { Request, Response } from 'express'
import helmet from 'helmet'
import type { Config } from '../../config/config.ts'
import type { Deps } from '../../platform/deps.ts'

/** What a page may do in a browser besides showing text and submitting forms to this service. */
export interface PagePermissions {
  /** Whether it may run our scripts, which may send requests to us. */
  scripts: boolean
  images: boolean
  /** With `no-referrer`, browsers send `Origin: null` even with forms for our own pages. */
  referrer: 'strict-origin' | 'no-referrer'
}

export type SetPageHeaders = (req: Request, res: Response) => void

/** Pages load nothing from other sites, can't be framed and aren't cached. */
export function createPageHeaders(deps: Pick<Deps, 'config'>, rights: PagePermissions): SetPageHeaders {
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

/** HTTPS for a year, if the public URL uses it. Subdomains may belong to other services, so they're left out. */
export const strictTransport = ({ production, publicUrl }: Pick<Config, 'production' | 'publicUrl'>) =>
  production && publicUrl.startsWith('https:') ? { maxAge: 31_536_000, includeSubDomains: false } : false

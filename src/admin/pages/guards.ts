import type { NextFunction, Request, Response } from 'express'
import { parseUrl } from '../../parse-url.ts'
import { isOwnForm, type SignedIn } from '../../staff/session.ts'
import { sendNotice } from './answer.ts'

/** Who is signed in; only behind the session's guard (router.ts). */
export const staffOf = (res: Response): SignedIn => res.locals.staff as SignedIn

const isSafe = (req: Request): boolean => req.method === 'GET' || req.method === 'HEAD'

/**
 * An act comes from a page of ours: by what the browser says of the request's origin. Every unsafe method under /admin needs it,
 * Bull Board's calls too, which carry no token.
 */
export const requireOwnOrigin =
  (publicUrl: string) =>
  (req: Request, res: Response, next: NextFunction): void => {
    if (isSafe(req) || isFromHere(req, publicUrl)) return next()
    sendNotice(
      res,
      403,
      'Refused',
      'This did not come from a page of this site. Open the page anew and try again.',
    )
  }

/** All that the browser says must say so, and it must say something. A proxy may have changed Host, so PUBLIC_URL counts as well. */
function isFromHere(req: Request, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = req.headers
  const host = origin === undefined || origin === 'null' ? null : (parseUrl(origin)?.host ?? '')
  const isOurs = host === req.host || host === parseUrl(publicUrl)?.host
  if (site === undefined) return host !== null && isOurs
  return site === 'same-origin' && (host === null || isOurs)
}

/** A form carries the token of the session that asked for it. For every form but the one to sign in. */
export function checkCsrf(req: Request, res: Response, next: NextFunction): void {
  const { csrf } = (req.body ?? {}) as { csrf?: unknown }
  if (isOwnForm(staffOf(res), csrf)) return next()
  sendNotice(
    res,
    403,
    'Refused',
    'This form is too old, or not yours. Go back, load the page anew and try again.',
  )
}

/** Acts are for the role `support`; a viewer looks. */
export function requireSupport(_req: Request, res: Response, next: NextFunction): void {
  if (staffOf(res).role === 'support') return next()
  sendNotice(
    res,
    403,
    'Not allowed',
    'Your account may look, but not act. Ask an operator for the role support.',
  )
}

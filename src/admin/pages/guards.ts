import type { NextFunction, Request, Response } from 'express'
import { isFromHere } from '../../http/pages/own-origin.ts'
import { isOwnForm, type SignedIn } from '../../staff/find-session.ts'
import { sendNotice } from './respond.ts'

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

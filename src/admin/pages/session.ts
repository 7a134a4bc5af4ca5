import { parseCookie } from 'cookie'
import type { NextFunction, Request, Response } from 'express'
import { html } from 'ghtml'
import type { Deps } from '../../deps.ts'
import { deadlineOf } from '../../http/pages/prepare-page.ts'
import { redirectTo, sendPage } from '../../http/pages/send-page.ts'
import { findSession } from '../../staff/find-session.ts'
import { plainPage } from './layout.ts'
import { sendNotice } from './respond.ts'

/**
 * With `__Host-`, the browser accepts the cookie only over https (or from localhost), for this host and for every path.
 */
export const cookieName = '__Host-staff'

export const tokenOf = (req: Request): string | undefined => parseCookie(req.headers.cookie ?? '')[cookieName]

/** Sets `res.locals.staff` if the request has a session. */
export function recognise(deps: Deps) {
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const token = tokenOf(req)
    if (token !== undefined) {
      const staff = await deadlineOf(res).run(() => findSession(deps, token))
      if (staff !== null) res.locals.staff = staff
    }
    next()
  }
}

/** Refuses a request without a session. */
export function requireSession(req: Request, res: Response, next: NextFunction): void {
  if (res.locals.staff !== undefined) return next()
  if (req.originalUrl.startsWith('/admin/queues/api/')) return void res.status(403).json(signedOut)
  if (!isNavigation(req))
    return sendNotice(res, 403, 'Signed out', 'You are not signed in, or your session has ended.')
  if (isFromOtherSite(req)) return sendPage(res, 200, stepPage)
  redirectTo(res, `/admin/sign-in?to=${encodeURIComponent(req.originalUrl)}`)
}

/** Bull Board's page shows this as a message. */
const signedOut = { error: 'You are signed out', message: 'Reload the page and sign in again.' }

/** Returns whether the browser opens a page. A script that fetches data must not receive a form. */
function isNavigation(req: Request): boolean {
  const dest = req.headers['sec-fetch-dest']
  return (req.method === 'GET' || req.method === 'HEAD') && (dest === undefined || dest === 'document')
}

/**
 * Returns whether a link on another site or in a mail led here. The browser then omits the cookie (SameSite=Strict).
 */
const isFromOtherSite = (req: Request): boolean =>
  req.headers['sec-fetch-site'] === 'cross-site' && tokenOf(req) === undefined

/** Reloads the same address from this site, so that the browser sends the cookie. */
const stepPage = plainPage(
  'One moment',
  html`<meta http-equiv="refresh" content="0" /><h1>One moment</h1><p><a href="">Continue</a></p>`,
)

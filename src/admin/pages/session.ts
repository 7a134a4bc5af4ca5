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
 * Because of the `__Host-` prefix, browsers accept this cookie only over HTTPS (or from localhost), only for this host,
 * and only with the path `/`.
 */
export const cookieName = '__Host-staff'

export const tokenOf = (req: Request): string | undefined => parseCookie(req.headers.cookie ?? '')[cookieName]

/** Creates middleware that sets `res.locals.staff` if the request has a session. */
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

/** Bull Board's page shows this error as a message. */
const signedOut = { error: 'You are signed out', message: 'Reload the page and sign in again.' }

/**
 * Returns whether the browser is opening a page. A script that fetches data must not be redirected to the sign-in form.
 */
function isNavigation(req: Request): boolean {
  const dest = req.headers['sec-fetch-dest']
  return (req.method === 'GET' || req.method === 'HEAD') && (dest === undefined || dest === 'document')
}

/**
 * Returns whether the request came from a link on another site or in an email. Browsers omit the cookie from such
 * requests (SameSite=Strict).
 */
const isFromOtherSite = (req: Request): boolean =>
  req.headers['sec-fetch-site'] === 'cross-site' && tokenOf(req) === undefined

/**
 * A page that reloads the same URL. For the reload, the browser sends the cookie, because that request comes from this
 * site.
 */
const stepPage = plainPage(
  'One moment',
  html`<meta http-equiv="refresh" content="0" /><h1>One moment</h1><p><a href="">Continue</a></p>`,
)

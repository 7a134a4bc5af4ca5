import { parseCookie } from 'cookie'
import type { NextFunction, Request, Response } from 'express'
import { html } from 'ghtml'
import type { Deps } from '../../deps.ts'
import { deadlineOf } from '../../http/pages/prepare-page.ts'
import { sendOn, sendPage } from '../../http/pages/send-page.ts'
import { findSession } from '../../staff/find-session.ts'
import { plainPage } from './layout.ts'
import { sendNotice } from './respond.ts'

/** `__Host-`: the browser takes it only over https (or from localhost), for this host alone and for every path. */
export const cookieName = '__Host-staff'

export const tokenOf = (req: Request): string | undefined => parseCookie(req.headers.cookie ?? '')[cookieName]

/** Sets `res.locals.staff` for whoever is signed in. */
export function recognise(deps: Deps) {
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const token = tokenOf(req)
    if (token !== undefined) {
      const staff = await deadlineOf(res).spend(() => findSession(deps, token))
      if (staff !== null) res.locals.staff = staff
    }
    next()
  }
}

/** Nobody gets further without a session. */
export function requireSession(req: Request, res: Response, next: NextFunction): void {
  if (res.locals.staff !== undefined) return next()
  if (req.originalUrl.startsWith('/admin/queues/api/')) return void res.status(403).json(signedOut)
  if (!isNavigation(req)) return sendNotice(res, 403, 'Signed out', 'You are not signed in, or not any more.')
  if (isFromElsewhere(req)) return sendPage(res, 200, stepPage)
  sendOn(res, `/admin/sign-in?to=${encodeURIComponent(req.originalUrl)}`)
}

/** For Bull Board's page, which shows it as a message. */
const signedOut = { error: 'You are signed out', message: 'Load the page anew and sign in again.' }

/** Whether a person goes to a page: what a script fetches must not be answered with a form. */
function isNavigation(req: Request): boolean {
  const dest = req.headers['sec-fetch-dest']
  return (req.method === 'GET' || req.method === 'HEAD') && (dest === undefined || dest === 'document')
}

/** Whether a link on another site, or in a mail, led here: then the browser kept the cookie (SameSite=Strict) to itself. */
const isFromElsewhere = (req: Request): boolean =>
  req.headers['sec-fetch-site'] === 'cross-site' && tokenOf(req) === undefined

/** Loads the same address once more, from here: now the browser sends the cookie, if there is one. */
const stepPage = plainPage(
  'One moment',
  html`<meta http-equiv="refresh" content="0" /><h1>One moment</h1><p><a href="">Go on to the page</a></p>`,
)

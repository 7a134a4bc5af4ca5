import { parseCookie, stringifySetCookie } from 'cookie'
import type { NextFunction, Request, Response } from 'express'
import { html } from 'ghtml'
import type { Accounts } from '../accounts/account.ts'
import { byAccount, type SignInClient, sessionLifetimeMs, signOut } from '../accounts/sessions.ts'
import { isSafeMethod } from '../http/pages/own-origin.ts'
import { pageDeadline } from '../http/pages/prepare-page.ts'
import { sendPage, sendRedirect } from '../http/pages/send-page.ts'
import type { Deps } from '../platform/deps.ts'
import { findStaffSession, type SignedInStaff } from '../staff/account.ts'
import { pathsBeforeSecondFactor, secondFactorPath } from '../staff/permissions.ts'
import { currentStaff, renderStaffPage, sendNoticePage } from './layout.ts'

type SessionDeps = Accounts & Pick<Deps, 'AuditEvent' | 'now' | 'secrets' | 'transactions'>

/** Because of `__Host-`, browsers send these cookies only to this host. */
const cookieNames = { session: '__Host-staff', pending: '__Host-staff-pending' } as const

/** A pending sign-in still needs the second factor. */
export const readTokenCookie = (req: Request, kind: keyof typeof cookieNames): string | undefined =>
  parseCookie(req.headers.cookie ?? '')[cookieNames[kind]]

export function setTokenCookie(
  res: Response,
  kind: keyof typeof cookieNames,
  value: string,
  maxAgeSeconds: number,
): void {
  const kept = { path: '/', secure: true, httpOnly: true, sameSite: 'strict', maxAge: maxAgeSeconds } as const
  const cookie = stringifySetCookie({ name: cookieNames[kind], value, ...kept })
  if (!res.headersSent) res.append('Set-Cookie', cookie)
}

export function createSessionLoader(
  deps: Accounts & Pick<Deps, 'config' | 'now' | 'secrets' | 'transactions'>,
) {
  return async (req: Request, res: Response, next: NextFunction) => {
    const token = readTokenCookie(req, 'session')
    if (token !== undefined) {
      const staff = await pageDeadline(res).run(() => findStaffSession(deps, token))
      if (staff !== null) res.locals.staff = staff
    }
    next()
  }
}

/** Staff who still need a second factor can only add one or sign out. */
export function requireSession(req: Request, res: Response, next: NextFunction): void {
  const staff = res.locals.staff as SignedInStaff | undefined
  if (staff === undefined) return refuseSignedOut(req, res)
  return staff.mustAddFactor ? requireSecondFactor(req, res, next) : next()
}

export function refuseSignedOut(req: Request, res: Response): void {
  res.locals.staff = undefined
  if (req.originalUrl.startsWith('/admin/queues/api/')) return void res.status(403).json(signedOut)
  if (!isNavigation(req))
    return sendNoticePage(res, 403, 'Signed out', 'You are not signed in, or your session has ended.')
  if (isFromOtherSite(req)) return sendPage(res, 200, stepPage)
  sendRedirect(res, `/admin/sign-in?to=${encodeURIComponent(req.originalUrl)}`)
}

function requireSecondFactor(req: Request, res: Response, next: NextFunction) {
  const [path = ''] = req.originalUrl.split('?')
  if (pathsBeforeSecondFactor.includes(path)) return next()
  if (path.startsWith('/admin/queues/api/')) return void res.status(403).json(noFactor)
  if (isNavigation(req)) return sendRedirect(res, secondFactorPath)
  sendNoticePage(res, 403, 'Second factor needed', 'Your account needs a second factor. Add one first.')
}

/** Bull Board's page shows these errors as messages. */
const noFactor = { error: 'Your account needs a second factor', message: 'Reload the page and add one.' }
const signedOut = { error: 'You are signed out', message: 'Reload the page and sign in again.' }

/** A script that fetches data must not be redirected to sign in. */
function isNavigation(req: Request) {
  const dest = req.headers['sec-fetch-dest']
  return isSafeMethod(req) && (dest === undefined || dest === 'document')
}

/** Browsers omit SameSite=Strict cookies when following another site's link. */
const isFromOtherSite = (req: Request) =>
  req.headers['sec-fetch-site'] === 'cross-site' && readTokenCookie(req, 'session') === undefined

/** When the page reloads itself, the browser sends the cookie. */
const stepPage = renderStaffPage({
  title: 'One moment',
  body: html`<meta http-equiv="refresh" content="0" /><h1>One moment</h1><p><a href="">Continue</a></p>`,
})

export const readClient = (req: Request): SignInClient => ({
  ip: req.ip ?? '',
  userAgent: req.headers['user-agent'] ?? '',
})

export async function openStaffSession(
  deps: SessionDeps,
  req: Request,
  res: Response,
  token: string,
  to: string,
): Promise<void> {
  await endOwnSession(deps, req, res)
  setTokenCookie(res, 'session', token, sessionLifetimeMs / 1000)
  sendRedirect(res, to)
}

export async function endOwnSession(deps: SessionDeps, req: Request, res: Response): Promise<void> {
  const token = readTokenCookie(req, 'session')
  if (token === undefined || res.locals.staff === undefined) return
  await signOut(deps, token, byAccount(deps, currentStaff(res).id, req.ip ?? ''))
}

import type { NextFunction, Request, Response } from 'express'
import { html } from 'ghtml'
import {
  type AccountSite,
  isFromOtherSite,
  isNavigation,
  type SignInPageDeps,
} from '../account-pages/site.ts'
import { type AccountTexts, englishAccountTexts } from '../account-pages/words/en.ts'
import { createSignInChecks } from '../accounts/sign-in-limit.ts'
import { sendPage, sendRedirect } from '../http/pages/send-page.ts'
import type { Deps } from '../platform/deps.ts'
import {
  findStaffSession,
  type SignedInStaff,
  staffSignInLimits,
  withStaffAccounts,
} from '../staff/account.ts'
import { pathsBeforeSecondFactor, secondFactorPath } from '../staff/permissions.ts'
import { renderTime } from './format.ts'
import { refuseForm } from './guards.ts'
import { currentStaff, renderStaffPage, sendNoticePage } from './layout.ts'

export const staffTexts: AccountTexts = {
  ...englishAccountTexts,
  welcome: 'Payment intents: support',
  name: 'Name',
  mustAddFactor: 'Your role requires a second factor. Add one to open the other pages.',
  lostCodes: 'If you have no recovery code either, ask an admin to remove your second factor.',
  linkInvalidText:
    'A link works only once, within 24 hours, and only until a newer one is issued. Ask an admin for a new link.',
}

const cookies = { session: '__Host-staff', pending: '__Host-staff-pending' } as const

export function createStaffSite(deps: Deps): AccountSite {
  const signInDeps: SignInPageDeps = Object.assign(
    withStaffAccounts(deps),
    createSignInChecks(deps, staffSignInLimits),
  )
  return {
    deps: signInDeps,
    path: '/admin',
    cookies,
    nextPaths: [],
    nameAttributes: 'maxlength="64"',
    findSession: (token) => findStaffSession(signInDeps, token),
    words: () => staffTexts,
    time: (_res, at) => renderTime(at),
    facts(res) {
      const { name, role } = currentStaff(res)
      return html`<dl class="facts"><dt>Name</dt><dd><bdi>${name}</bdi></dd><dt>Role</dt><dd>${role}</dd></dl>`
    },
    mustAddFactor: (res) => currentStaff(res).mustAddFactor,
    send(res, { title, body, status = 200, hasNewFactor = false }) {
      const staff = res.locals.signedIn as SignedInStaff | undefined
      const shown = staff && hasNewFactor ? { ...staff, mustAddFactor: false } : staff
      sendPage(res, status, renderStaffPage({ title, body }, shown ?? null))
    },
    refuseSignedOut,
    refuse: refuseForm,
  }
}

/** Staff who still need a second factor can only add one or sign out. */
export function requireSession(req: Request, res: Response, next: NextFunction): void {
  const staff = res.locals.signedIn as SignedInStaff | undefined
  if (staff === undefined) return refuseSignedOut(req, res)
  return staff.mustAddFactor ? requireSecondFactor(req, res, next) : next()
}

export function refuseSignedOut(req: Request, res: Response): void {
  res.locals.signedIn = undefined
  if (req.originalUrl.startsWith('/admin/queues/api/')) return void res.status(403).json(signedOut)
  if (!isNavigation(req))
    return sendNoticePage(res, 403, 'Signed out', 'You are not signed in, or your session has ended.')
  if (isFromOtherSite({ cookies }, req)) return sendPage(res, 200, stepPage)
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

/** When the page reloads itself, the browser sends the cookie. */
const stepPage = renderStaffPage({
  title: 'One moment',
  body: html`<meta http-equiv="refresh" content="0" /><h1>One moment</h1><p><a href="">Continue</a></p>`,
})

import { parseCookie, stringifySetCookie } from 'cookie'
import type { NextFunction, Request, Response, Router } from 'express'
import { html } from 'ghtml'
import { formFields } from '../http/body/read-form.ts'
import { deadlineOf } from '../http/pages/prepare-page.ts'
import { redirectTo, sendPage } from '../http/pages/send-page.ts'
import type { Deps } from '../platform/deps.ts'
import { pathsBeforeSecondFactor, secondFactorPath } from '../staff/permissions.ts'
import { pendingLifetimeMs, sessionLifetimeMs } from '../staff/session.ts'
import { confirmSignIn, findPending, type PendingSignIn, signIn } from '../staff/sign-in.ts'
import type { SignInChecks } from '../staff/sign-in-limit.ts'
import { byOwner, type Client, findSession, isOwnForm, type SignedIn, signOut } from '../staff/staff-sessions.ts'
import { checkCsrf, csrfOf, isSafe, refuseForeignForm } from './guards.ts'
import { csrfField, plainPage, sendNotice, staffOf } from './layout.ts'
import { codeField, errorNotice, passwordField, refusalOf } from './refused-form.ts'

type SignInDeps = Pick<Deps, 'AuditEvent' | 'StaffSession' | 'now' | 'secrets' | 'transactions'>

/** The dependencies of the pages on which passwords and codes are entered. */
export type SignInPageDeps = Deps & SignInChecks

/** Adds `/admin/sign-in`, `/admin/sign-in/code`, where the second factor completes a sign-in, and `/admin/sign-out`. */
export function addSignInPages(router: Router, deps: SignInPageDeps): void {
  router.get('/sign-in', (req, res) => {
    const to = nextPath(req.query.to)
    if (res.locals.staff === undefined) sendPage(res, 200, form({ to, name: '', error: '' }))
    else redirectTo(res, to)
  })

  router.post('/sign-in', async (req, res) => {
    const { name, password, to: given } = formFields(req, 'name', 'password', 'to')
    const to = nextPath(given)
    const result = await signIn(deps, { name, password, client: clientOf(req) })
    if (result.outcome === 'signed-in') return startSession(deps, req, res, result.token, to)
    if (result.outcome === 'code-required') {
      setTokenCookie(res, 'pending', result.token, pendingLifetimeMs / 1000)
      return redirectTo(res, `/admin/sign-in/code?to=${encodeURIComponent(to)}`)
    }
    const { status, error } = refusalOf(res, result, 'The name or the password is wrong.')
    sendPage(res, status, form({ to, name, error }))
  })

  router.get('/sign-in/code', async (req, res) => {
    const to = nextPath(req.query.to)
    const pending = await pendingOf(deps, req)
    if (pending === null) return startAgain(res, to)
    sendPage(res, 200, codeForm(pending, { to, error: '' }))
  })

  router.post('/sign-in/code', async (req, res) => {
    const { code, to: given } = formFields(req, 'code', 'to')
    const to = nextPath(given)
    const pending = await pendingOf(deps, req)
    if (pending === null) return startAgain(res, to)
    if (!isOwnForm(pending, csrfOf(req))) return refuseForeignForm(res)
    const result = await confirmSignIn(deps, pending, { code, client: clientOf(req) })
    if (result.outcome === 'signed-in') return startSession(deps, req, res, result.token, to)
    const { status, error } = refusalOf(res, result, wrongCode)
    sendPage(res, status, codeForm(pending, { to, error }))
  })

  router.post('/sign-out', requireSession, checkCsrf, async (req, res) => {
    await endOwnSession(deps, req, res)
    setTokenCookie(res, 'session', '', 0)
    redirectTo(res, '/admin/sign-in')
  })
}

/** Returns what is stored about the client of a new session. */
const clientOf = (req: Request): Client => ({
  ip: req.ip ?? '',
  userAgent: req.headers['user-agent'] ?? '',
})

/** Starts a session in the browser, and ends the browser's previous session. */
async function startSession(deps: SignInDeps, req: Request, res: Response, token: string, to: string): Promise<void> {
  await endOwnSession(deps, req, res)
  setTokenCookie(res, 'session', token, sessionLifetimeMs / 1000)
  redirectTo(res, to)
}

/** Ends the request's session, if there is one. */
async function endOwnSession(deps: SignInDeps, req: Request, res: Response): Promise<void> {
  const token = tokenOf(req, 'session')
  if (token === undefined || res.locals.staff === undefined) return
  await signOut(deps, token, byOwner(staffOf(res).name, req.ip ?? ''))
}

/**
 * Returns the path to open after signing in. It is always under /admin, so it never leads to another site, and it is
 * never the sign-in page.
 */
function nextPath(to: unknown): string {
  const first = '/admin'
  const here = 'http://here.invalid'
  const url = typeof to === 'string' ? URL.parse(to, here) : null
  if (url === null) return first
  const { origin, pathname, search } = url
  const isOurs = origin === here && (pathname === first || pathname.startsWith(`${first}/`))
  return isOurs && !pathname.startsWith('/admin/sign-') ? pathname + search : first
}

const form = ({ to, name, error }: { to: string; name: string; error: string }): string =>
  plainPage(
    'Sign in',
    html`<h1>Payment intents: support</h1>
      !${errorNotice(error)}
      <form class="card stack" method="post" action="/admin/sign-in">
        <input type="hidden" name="to" value="${to}" />
        <div>
          <label for="name">Name</label>
          <input
            id="name"
            name="name"
            value="${name}"
            autocomplete="username"
            autocapitalize="none"
            spellcheck="false"
            maxlength="64"
            required
            !${name === '' ? 'autofocus' : ''}
          />
        </div>
        !${passwordField('password', 'Password', 'current-password', name === '' ? '' : 'autofocus')}
        <button class="main">Sign in</button>
      </form>`,
  )

export const wrongCode =
  'The code is wrong or was already used. Wait for the next code, and check the clock of the phone.'

async function pendingOf(deps: SignInPageDeps, req: Request): Promise<PendingSignIn | null> {
  const token = tokenOf(req, 'pending')
  return token === undefined ? null : findPending(deps, token)
}

function startAgain(res: Response, to: string): void {
  setTokenCookie(res, 'pending', '', 0)
  redirectTo(res, `/admin/sign-in?to=${encodeURIComponent(to)}`)
}

const codeForm = (pending: PendingSignIn, { to, error }: { to: string; error: string }): string =>
  plainPage(
    'Enter the code',
    html`<h1>Enter the code</h1>
      !${errorNotice(error)}
      <form class="card stack" method="post" action="/admin/sign-in/code">
        !${csrfField(pending)}
        <input type="hidden" name="to" value="${to}" />
        !${codeField('code', 'Code', 'The 6 digits in your authenticator app. Without your phone, enter a recovery code.')}
        <button class="main">Sign in</button>
      </form>
      <p class="faint">If you have no recovery code either, ask an admin to remove your second factor.</p>
      <p><a href="/admin/sign-in">Sign in with another name</a></p>`,
  )

/**
 * Because of the `__Host-` prefix, browsers accept these cookies only over HTTPS (or from localhost), only for this
 * host, and only with the path `/`.
 */
const cookieNames = { session: '__Host-staff', pending: '__Host-staff-pending' } as const

/** Returns the token of the session, or of a sign-in that still needs the second factor. */
const tokenOf = (req: Request, kind: keyof typeof cookieNames): string | undefined =>
  parseCookie(req.headers.cookie ?? '')[cookieNames[kind]]

/** Sets the cookie with a token, or removes it if `maxAgeSeconds` is 0. */
function setTokenCookie(res: Response, kind: keyof typeof cookieNames, value: string, maxAgeSeconds: number): void {
  const kept = { path: '/', secure: true, httpOnly: true, sameSite: 'strict', maxAge: maxAgeSeconds } as const
  const cookie = stringifySetCookie({ name: cookieNames[kind], value, ...kept })
  if (!res.headersSent) res.append('Set-Cookie', cookie)
}

/** Creates middleware that sets `res.locals.staff` if the request has a session. */
export function recognise(deps: Pick<Deps, 'Staff' | 'StaffSession' | 'config' | 'now' | 'secrets' | 'transactions'>) {
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const token = tokenOf(req, 'session')
    if (token !== undefined) {
      const staff = await deadlineOf(res).run(() => findSession(deps, token))
      if (staff !== null) res.locals.staff = staff
    }
    next()
  }
}

/**
 * Refuses a request without a session. If the account still needs a second factor, only the page that adds one and the
 * form for signing out are open.
 */
export function requireSession(req: Request, res: Response, next: NextFunction): void {
  const staff = res.locals.staff as SignedIn | undefined
  if (staff === undefined) return refuseSignedOut(req, res)
  return staff.mustAddFactor ? requireSecondFactor(req, res, next) : next()
}

export function refuseSignedOut(req: Request, res: Response): void {
  res.locals.staff = undefined
  if (req.originalUrl.startsWith('/admin/queues/api/')) return void res.status(403).json(signedOut)
  if (!isNavigation(req)) return sendNotice(res, 403, 'Signed out', 'You are not signed in, or your session has ended.')
  if (isFromOtherSite(req)) return sendPage(res, 200, stepPage)
  redirectTo(res, `/admin/sign-in?to=${encodeURIComponent(req.originalUrl)}`)
}

/** Redirects to the page that adds a second factor, unless the requested page is open without one. */
function requireSecondFactor(req: Request, res: Response, next: NextFunction): void {
  const [path = ''] = req.originalUrl.split('?')
  if (pathsBeforeSecondFactor.includes(path)) return next()
  if (path.startsWith('/admin/queues/api/')) return void res.status(403).json(noFactor)
  if (isNavigation(req)) return redirectTo(res, secondFactorPath)
  sendNotice(res, 403, 'Second factor needed', 'Your account needs a second factor. Add it, then try again.')
}

/** Bull Board's page shows these errors as messages. */
const noFactor = { error: 'Your account needs a second factor', message: 'Reload the page and add one.' }
const signedOut = { error: 'You are signed out', message: 'Reload the page and sign in again.' }

/**
 * Returns whether the browser is opening a page. A script that fetches data must not be redirected to the sign-in form.
 */
function isNavigation(req: Request): boolean {
  const dest = req.headers['sec-fetch-dest']
  return isSafe(req) && (dest === undefined || dest === 'document')
}

/**
 * Returns whether the request came from a link on another site or in an email. Browsers omit the cookie from such
 * requests (SameSite=Strict).
 */
const isFromOtherSite = (req: Request): boolean =>
  req.headers['sec-fetch-site'] === 'cross-site' && tokenOf(req, 'session') === undefined

/**
 * A page that reloads the same URL. For the reload, the browser sends the cookie, because that request comes from this
 * site.
 */
const stepPage = plainPage(
  'One moment',
  html`<meta http-equiv="refresh" content="0" /><h1>One moment</h1><p><a href="">Continue</a></p>`,
)

import { stringifySetCookie } from 'cookie'
import { type Request, type Response, Router } from 'express'
import { html } from 'ghtml'
import type { Deps } from '../../deps.ts'
import { formFields } from '../../http/body/read-form.ts'
import { addHeader, redirectTo, sendPage } from '../../http/pages/send-page.ts'
import { parseUrl } from '../../polyfills/parse-url.ts'
import { fairShare } from '../../security/slow-hash.ts'
import { sessionLifetimeMs } from '../../staff/session.ts'
import { type SignInResult, signIn } from '../../staff/sign-in.ts'
import { createSignInLimit } from '../../staff/sign-in-limit.ts'
import { signOut } from '../../staff/sign-out.ts'
import { byStaff, checkCsrf } from './guards.ts'
import { plainPage } from './layout.ts'
import { cookieName, requireSession, tokenOf } from './session.ts'

/** Serves `/admin/sign-in` and `/admin/sign-out`. */
export function signInPages(deps: Deps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  // Only one password is checked at a time, so that a flood of sign-ins does not delay checks of customers' PINs.
  const checkPassword = deps.slowHash.createCheck(fairShare, 1)
  const limited = { ...deps, countAttempt: createSignInLimit(deps), checkPassword }

  router.get('/sign-in', (req, res) => {
    const to = nextPath(req.query.to)
    if (res.locals.staff === undefined) sendPage(res, 200, form({ to, name: '', error: '' }))
    else redirectTo(res, to)
  })

  router.post('/sign-in', async (req, res) => {
    const { name, password, to } = formFields(req, 'name', 'password', 'to')
    const result = await signIn(limited, { name, password, ip: req.ip ?? '' })
    if (result.outcome !== 'signed-in') return refuseSignIn(res, result, { to: nextPath(to), name })
    await endSession(deps, req, res)
    setCookie(res, result.token, sessionLifetimeMs / 1000)
    redirectTo(res, nextPath(to))
  })

  router.post('/sign-out', requireSession, checkCsrf, async (req, res) => {
    await endSession(deps, req, res)
    setCookie(res, '', 0)
    redirectTo(res, '/admin/sign-in')
  })
  return router
}

/** Ends the request's session, if there is one. */
async function endSession(deps: Deps, req: Request, res: Response): Promise<void> {
  const token = tokenOf(req)
  if (token === undefined || res.locals.staff === undefined) return
  await signOut(deps, token, byStaff(req, res, null))
}

function setCookie(res: Response, value: string, maxAgeSeconds: number): void {
  const kept = { path: '/', secure: true, httpOnly: true, sameSite: 'strict', maxAge: maxAgeSeconds } as const
  addHeader(res, 'Set-Cookie', stringifySetCookie({ name: cookieName, value, ...kept }))
}

/**
 * Returns the path to open after signing in. It is always under /admin, so it never leads to another site, and it is
 * never the sign-in page.
 */
function nextPath(to: unknown): string {
  const first = '/admin'
  const here = 'http://here.invalid'
  const url = typeof to === 'string' ? parseUrl(to, here) : null
  if (url === null) return first
  const { origin, pathname, search } = url
  const isOurs = origin === here && (pathname === first || pathname.startsWith(`${first}/`))
  return isOurs && !pathname.startsWith('/admin/sign-') ? pathname + search : first
}

function refuseSignIn(
  res: Response,
  result: Exclude<SignInResult, { outcome: 'signed-in' }>,
  filled: { to: string; name: string },
): void {
  if (result.outcome === 'refused')
    return sendPage(res, 403, form({ ...filled, error: 'The name or the password is wrong.' }))
  const seconds = result.outcome === 'wait' ? result.seconds : 2
  const why = result.outcome === 'wait' ? 'Too many attempts.' : 'Too many people are signing in now.'
  addHeader(res, 'Retry-After', seconds)
  const status = result.outcome === 'wait' ? 429 : 503
  sendPage(res, status, form({ ...filled, error: `${why} Try again in ${waitInWords(seconds)}.` }))
}

const waitInWords = (seconds: number): string =>
  seconds < 100 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`

const form = ({ to, name, error }: { to: string; name: string; error: string }): string =>
  plainPage(
    'Sign in',
    html`<h1>Payment intents: support</h1>
      !${error === '' ? '' : html`<p class="notice bad" role="alert">${error}</p>`}
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
        <div>
          <label for="password">Password</label>
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="current-password"
            maxlength="200"
            required
            !${name === '' ? '' : 'autofocus'}
          />
        </div>
        <button class="main">Sign in</button>
      </form>`,
  )

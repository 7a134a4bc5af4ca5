import { type Request, type Response, Router } from 'express'
import { html } from 'ghtml'
import type { Deps } from '../../deps.ts'
import { formFields } from '../../http/body/read-form.ts'
import { redirectTo, sendPage } from '../../http/pages/send-page.ts'
import { pendingLifetimeMs, sessionLifetimeMs } from '../../staff/session.ts'
import { signIn } from '../../staff/sign-in.ts'
import type { SignInChecks } from '../../staff/sign-in-limit.ts'
import { byOwner, type Client, signOut } from '../../staff/staff-sessions.ts'
import { checkCsrf } from './guards.ts'
import { plainPage } from './layout.ts'
import { errorNotice, passwordField, refusalOf } from './refused-form.ts'
import { staffOf } from './respond.ts'
import { requireSession, setTokenCookie, tokenOf } from './session.ts'

/** The dependencies of the pages on which passwords and codes are entered. */
export type SignInPageDeps = Deps & SignInChecks

/** Serves `/admin/sign-in` and `/admin/sign-out`. */
export function signInPages(deps: SignInPageDeps): Router {
  const router = Router({ strict: true, caseSensitive: true })

  router.get('/sign-in', (req, res) => {
    const to = nextPath(req.query.to)
    if (res.locals.staff === undefined) sendPage(res, 200, form({ to, name: '', error: '' }))
    else redirectTo(res, to)
  })

  router.post('/sign-in', async (req, res) => {
    const { name, password, to: given } = formFields(req, 'name', 'password', 'to')
    const to = nextPath(given)
    const result = await signIn(deps, { name, password, client: clientOf(req) })
    if (result.outcome === 'signed-in') return startSession(deps, req, res, { token: result.token, to })
    if (result.outcome === 'code-required') {
      setTokenCookie(res, 'pending', result.token, pendingLifetimeMs / 1000)
      return redirectTo(res, `/admin/sign-in/code?to=${encodeURIComponent(to)}`)
    }
    const { status, error } = refusalOf(res, result, 'The name or the password is wrong.')
    sendPage(res, status, form({ to, name, error }))
  })

  router.post('/sign-out', requireSession, checkCsrf, async (req, res) => {
    await endOwnSession(deps, req, res)
    setTokenCookie(res, 'session', '', 0)
    redirectTo(res, '/admin/sign-in')
  })
  return router
}

/** Returns what is stored about the client of a new session. */
export const clientOf = (req: Request): Client => ({
  ip: req.ip ?? '',
  userAgent: req.headers['user-agent'] ?? '',
})

/** Starts a session in the browser, and ends the browser's previous session. */
export async function startSession(
  deps: Deps,
  req: Request,
  res: Response,
  { token, to }: { token: string; to: string },
): Promise<void> {
  await endOwnSession(deps, req, res)
  setTokenCookie(res, 'session', token, sessionLifetimeMs / 1000)
  redirectTo(res, to)
}

/** Ends the request's session, if there is one. */
async function endOwnSession(deps: Deps, req: Request, res: Response): Promise<void> {
  const token = tokenOf(req, 'session')
  if (token === undefined || res.locals.staff === undefined) return
  await signOut(deps, token, byOwner(staffOf(res).name, req.ip ?? ''))
}

/**
 * Returns the path to open after signing in. It is always under /admin, so it never leads to another site, and it is
 * never the sign-in page.
 */
export function nextPath(to: unknown): string {
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

import { type Request, type Response, Router } from 'express'
import { html } from 'ghtml'
import { formFields } from '../../http/body/read-form.ts'
import { redirectTo, sendPage } from '../../http/pages/send-page.ts'
import { confirmSignIn, findPending, type PendingSignIn } from '../../staff/sign-in.ts'
import { isOwnForm } from '../../staff/staff-sessions.ts'
import { csrfOf, refuseForeignForm } from './guards.ts'
import { csrfField, plainPage } from './layout.ts'
import { codeField, errorNotice, refusalOf } from './refused-form.ts'
import { setTokenCookie, tokenOf } from './session.ts'
import { clientOf, nextPath, type SignInPageDeps, startSession } from './sign-in.ts'

/** Serves `/admin/sign-in/code`, where the second factor completes a sign-in. */
export function signInCodePages(deps: SignInPageDeps): Router {
  const router = Router({ strict: true, caseSensitive: true })

  router.get('/sign-in/code', async (req, res) => {
    const to = nextPath(req.query.to)
    const pending = await pendingOf(deps, req)
    if (pending === null) return startAgain(res, to)
    sendPage(res, 200, form(pending, { to, error: '' }))
  })

  router.post('/sign-in/code', async (req, res) => {
    const { code, to: given } = formFields(req, 'code', 'to')
    const to = nextPath(given)
    const pending = await pendingOf(deps, req)
    if (pending === null) return startAgain(res, to)
    if (!isOwnForm(pending, csrfOf(req))) return refuseForeignForm(res)
    const result = await confirmSignIn(deps, pending, { code, client: clientOf(req) })
    if (result.outcome === 'signed-in') {
      await startSession(deps, req, res, { token: result.token, to })
      return
    }
    const { status, error } = refusalOf(res, result, wrongCode)
    sendPage(res, status, form(pending, { to, error }))
  })
  return router
}

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

const form = (pending: PendingSignIn, { to, error }: { to: string; error: string }): string =>
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

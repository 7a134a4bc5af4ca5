import type { Response, Router } from 'express'
import { html } from 'ghtml'
import { formFields } from '../http/body/read-form.ts'
import { sendPage } from '../http/pages/send-page.ts'
import { findByLink } from '../staff/passwords.ts'
import { setPasswordByLink } from '../staff/set-password.ts'
import { plainPage } from './layout.ts'
import { errorNotice, newPasswordFields, refusalOf } from './refused-form.ts'
import type { SignInPageDeps } from './sign-in.ts'

/**
 * Adds the page of a one-time link, `/admin/set-password/:token`. Opening the page changes nothing, and the form
 * sends the token in its body. Requests are logged with the pattern of their route, so no log contains the token.
 */
export function addSetPasswordPages(router: Router, deps: SignInPageDeps): void {
  router.get('/set-password/:token', async (req, res) => {
    const { token } = req.params
    const name = await findByLink(deps, token)
    if (name === null) return sendNotValid(res)
    sendPage(res, 200, form({ token, name, error: '' }))
  })

  router.post('/set-password', async (req, res) => {
    const { token, password, again } = formFields(req, 'token', 'password', 'again')
    const name = await findByLink(deps, token)
    if (name === null) return sendNotValid(res)
    if (password !== again)
      return sendPage(res, 400, form({ token, name, error: 'The two passwords are not the same.' }))
    const result = await setPasswordByLink(deps, { token, password, ip: req.ip ?? '' })
    if (result.outcome === 'done') return sendPage(res, 200, donePage)
    if (result.outcome === 'refused') return sendNotValid(res)
    if (result.outcome === 'invalid') return sendPage(res, 400, form({ token, name, error: result.fault }))
    const { status, error } = refusalOf(res, result, '')
    sendPage(res, status, form({ token, name, error }))
  })
}

const sendNotValid = (res: Response): void =>
  sendPage(
    res,
    404,
    plainPage(
      'Link not valid',
      html`<h1>Link not valid</h1>
        <p>A link works once, for 24 hours, and only until a newer one is issued. Ask an admin for a new link.</p>
        <p><a href="/admin/sign-in">Sign in</a></p>`,
    ),
  )

const donePage = plainPage(
  'Password set',
  html`<h1>Password set</h1>
    <p class="notice good" role="status">Your new password works now. You are signed out everywhere.</p>
    <p><a class="button" href="/admin/sign-in">Sign in</a></p>`,
)

/** The form contains the name of the account, so that password managers store the password under that name. */
const form = ({ token, name, error }: { token: string; name: string; error: string }): string =>
  plainPage(
    'Set your password',
    html`<h1>Set your password</h1>
      !${errorNotice(error)}
      <form class="card stack" method="post" action="/admin/set-password">
        <input type="hidden" name="token" value="${token}" />
        <div>
          <label for="name">Name</label>
          <input id="name" name="name" value="${name}" autocomplete="username" readonly />
        </div>
        !${newPasswordFields()}
        <button class="main">Set password</button>
      </form>`,
  )

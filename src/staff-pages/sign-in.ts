import type { Request, Response, Router } from 'express'
import { html } from 'ghtml'
import { type Accounts, nameOf } from '../accounts/account.ts'
import { findByPasswordLink } from '../accounts/passwords.ts'
import { findOpenSession, hasValidCsrf, type OpenSession, pendingSessionMs } from '../accounts/sessions.ts'
import { setPasswordByLink } from '../accounts/set-password.ts'
import { confirmSignIn, signIn } from '../accounts/sign-in.ts'
import type { SignInChecks } from '../accounts/sign-in-limit.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { inputField, renderHiddenInput } from '../http/pages/forms.ts'
import { isSafeMethod } from '../http/pages/own-origin.ts'
import { sendPage, sendRedirect } from '../http/pages/send-page.ts'
import type { Deps } from '../platform/deps.ts'
import * as forms from './forms.ts'
import { checkCsrf, readCsrfToken, refuseCrossSiteForm } from './guards.ts'
import { csrfField, renderStaffPage } from './layout.ts'
import {
  endOwnSession,
  openStaffSession,
  readClient,
  readTokenCookie,
  requireSession,
  setTokenCookie,
} from './session.ts'

export type SignInPageDeps = Deps & Accounts & SignInChecks

/** A form that staff use to prove who they are before they have a session. */
interface ProofPage<Subject> {
  path: string
  action?: string
  title: string
  heading?: string
  button: string
  wrong?: string
  /** Resolves to null if a different page was sent instead. */
  find(req: Request, res: Response): Promise<Subject | null>
  fields(subject: Subject): string
  foot?: string
  /** Resolves to null if the next page was sent. */
  enter(subject: Subject, req: Request, res: Response): Promise<forms.RefusedForm | null>
}

function addProofPage<Subject>(router: Router, proof: ProofPage<Subject>) {
  const { path, action = path, title, heading = title, button, wrong = '', foot = '' } = proof
  const send = (res: Response, status: number, subject: Subject, error: string) => {
    const form = forms.formCard(`/admin${action}`, proof.fields(subject), button)
    const body = html`<h1>${heading}</h1>!${forms.errorNotice(error)}!${form}!${foot}`
    sendPage(res, status, renderStaffPage({ title, body }))
  }
  router.get(path, async (req, res) => {
    const subject = await proof.find(req, res)
    if (subject !== null) send(res, 200, subject, '')
  })
  router.post(action, async (req, res) => {
    const subject = await proof.find(req, res)
    const refused = subject && (await proof.enter(subject, req, res))
    if (subject === null || refused === null) return
    const { status, error } = forms.explainRefusal(res, refused, wrong)
    send(res, status, subject, error)
  })
}

export function addSignInPages(router: Router, deps: SignInPageDeps): void {
  addProofPage(router, passwordPage(deps))
  addProofPage(router, codePage(deps))
  addProofPage(router, linkPage(deps))
  router.post('/sign-out', requireSession, checkCsrf, async (req, res) => {
    await endOwnSession(deps, req, res)
    setTokenCookie(res, 'session', '', 0)
    sendRedirect(res, '/admin/sign-in')
  })
}

const passwordPage = (deps: SignInPageDeps): ProofPage<{ to: string; name: string }> => ({
  path: '/sign-in',
  title: 'Sign in',
  heading: 'Payment intents: support',
  wrong: 'The name or the password is wrong.',
  button: 'Sign in',
  async find(req, res) {
    const to = nextPath(req)
    if (!isSafeMethod(req)) return { to, name: readFormFields(req, 'name').name }
    if (res.locals.staff === undefined) return { to, name: '' }
    sendRedirect(res, to)
    return null
  },
  fields({ to, name }) {
    const attributes = `autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="64" required ${name === '' ? 'autofocus' : ''}`
    return html`!${renderHiddenInput('to', to)}
      !${inputField('name', { label: 'Name', value: name, attributes })}
      !${forms.passwordField('password', 'Password', `autocomplete="current-password" ${name === '' ? '' : 'autofocus'}`)}`
  },
  async enter({ to, name }, req, res) {
    const { password } = readFormFields(req, 'password')
    const result = await signIn(deps, { name, password, client: readClient(req) })
    if (result.outcome === 'signed-in') await openStaffSession(deps, req, res, result.token, to)
    else if (result.outcome !== 'code-required') return result
    else {
      setTokenCookie(res, 'pending', result.token, pendingSessionMs / 1000)
      sendRedirect(res, `/admin/sign-in/code?to=${encodeURIComponent(to)}`)
    }
    return null
  },
})

export const wrongCodeMessage =
  'The code is wrong or was already used. Wait for the next code, and check your phone’s clock.'

const codePage = (deps: SignInPageDeps): ProofPage<{ to: string; pending: OpenSession }> => ({
  path: '/sign-in/code',
  title: 'Enter the code',
  wrong: wrongCodeMessage,
  button: 'Sign in',
  foot: html`<p class="faint">If you have no recovery code either, ask an admin to remove your second factor.</p>
    <p><a href="/admin/sign-in">Sign in with another name</a></p>`,
  async find(req, res) {
    const to = nextPath(req)
    const token = readTokenCookie(req, 'pending')
    const pending = token === undefined ? null : await findOpenSession(deps, token, true)
    if (pending !== null) return { to, pending }
    setTokenCookie(res, 'pending', '', 0)
    sendRedirect(res, `/admin/sign-in?to=${encodeURIComponent(to)}`)
    return null
  },
  fields: ({ to, pending }) => html`!${csrfField(pending)}
    !${renderHiddenInput('to', to)}
    !${forms.codeField('code', 'Code', 'The 6 digits in your authenticator app. Without your phone, enter a recovery code.')}`,
  async enter({ to, pending }, req, res) {
    if (hasValidCsrf(pending, readCsrfToken(req))) {
      const { code } = readFormFields(req, 'code')
      const result = await confirmSignIn(deps, pending, { code, client: readClient(req) })
      if (result.outcome !== 'signed-in') return result
      await openStaffSession(deps, req, res, result.token, to)
    } else refuseCrossSiteForm(res)
    return null
  },
})

/**
 * Logs contain only the route's pattern, so the token is never logged. With
 * the name in the form, password managers can store the new password.
 */
const linkPage = (deps: SignInPageDeps): ProofPage<{ token: string; name: string }> => ({
  path: '/set-password/:token',
  action: '/set-password',
  title: 'Set your password',
  button: 'Set password',
  async find(req, res) {
    const token = isSafeMethod(req) ? String(req.params['token']) : readFormFields(req, 'token').token
    const account = await findByPasswordLink(deps, token)
    if (account !== null) return { token, name: nameOf(deps, account) }
    sendPage(res, 404, linkNotValid)
    return null
  },
  fields: ({ token, name }) => html`!${renderHiddenInput('token', token)}
    !${inputField('name', { label: 'Name', value: name, attributes: 'autocomplete="username" readonly' })}
    !${forms.newPasswordFields()}`,
  async enter({ token }, req, res) {
    const { password, again } = readFormFields(req, 'password', 'again')
    if (password !== again) return { outcome: 'invalid', fault: 'The passwords do not match.' }
    const result = await setPasswordByLink(deps, { token, password, ip: req.ip ?? '' })
    if (result.outcome === 'done') sendPage(res, 200, passwordSet)
    else if (result.outcome !== 'refused') return result
    else sendPage(res, 404, linkNotValid)
    return null
  },
})

const linkNotValid = renderStaffPage({
  title: 'Invalid link',
  body: html`<h1>Invalid link</h1>
    <p>A link works only once, within 24 hours, and only until a newer one is issued. Ask an admin for a new link.</p>
    <p><a href="/admin/sign-in">Sign in</a></p>`,
})

const passwordSet = renderStaffPage({
  title: 'Password set',
  body: html`<h1>Password set</h1>
    <p class="notice good" role="status">Your new password works now. You are signed out everywhere.</p>
    <p><a class="button" href="/admin/sign-in">Sign in</a></p>`,
})

/** Never returns another site's URL or the sign-in page. */
function nextPath(req: Request) {
  const to = isSafeMethod(req) ? req.query.to : readFormFields(req, 'to').to
  const first = '/admin'
  const here = 'http://here.invalid'
  const url = typeof to === 'string' ? URL.parse(to, here) : null
  if (url === null) return first
  const { origin, pathname, search } = url
  const isOurs = origin === here && (pathname === first || pathname.startsWith(`${first}/`))
  return isOurs && !pathname.startsWith('/admin/sign-') ? pathname + search : first
}

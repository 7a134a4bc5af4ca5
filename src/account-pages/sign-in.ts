import type { Request, Response, Router } from 'express'
import { html } from 'ghtml'
import { nameOf } from '../accounts/account.ts'
import { findByPasswordLink } from '../accounts/passwords.ts'
import { findOpenSession, hasValidCsrf, type OpenSession, pendingSessionMs } from '../accounts/sessions.ts'
import { setPasswordByLink } from '../accounts/set-password.ts'
import { confirmSignIn, signIn } from '../accounts/sign-in.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { inputField, renderHiddenInput } from '../http/pages/forms.ts'
import { isSafeMethod } from '../http/pages/own-origin.ts'
import { sendRedirect } from '../http/pages/send-page.ts'
import * as forms from './forms.ts'
import {
  type AccountSite,
  checkCsrf,
  currentAccount,
  endOwnSession,
  openOwnSession,
  readClient,
  readCsrfToken,
  readTokenCookie,
  requireSignedIn,
  setTokenCookie,
  signedInAccount,
} from './site.ts'
import type { AccountTexts } from './words/en.ts'

/** Words without parameters. */
type TextName = {
  [Name in keyof AccountTexts]: AccountTexts[Name] extends string ? Name : never
}[keyof AccountTexts]

/** A form that people use to prove who they are. */
export interface ProofPage<Subject> {
  path: string
  action?: string
  title: TextName
  heading?: TextName
  button: TextName
  wrong?: TextName
  /** Resolves to null if a different page was sent instead. */
  find(req: Request, res: Response): Promise<Subject | null>
  fields(subject: Subject, words: AccountTexts): string
  foot?(words: AccountTexts): string
  /** Resolves to null if the next page was sent. */
  enter(subject: Subject, req: Request, res: Response): Promise<forms.RefusedForm | null>
}

export function addProofPage<Subject>(router: Router, site: AccountSite, proof: ProofPage<Subject>): void {
  const { path, action = path, title, heading = title, button, wrong = title } = proof
  const send = (res: Response, status: number, subject: Subject, error: string) => {
    const words = site.words(res)
    const form = forms.formCard(site.path + action, proof.fields(subject, words), words[button])
    const foot = proof.foot?.(words) ?? ''
    const body = html`<h1>${words[heading]}</h1>!${forms.errorNotice(error)}!${form}!${foot}`
    site.send(res, { status, title: words[title], body })
  }
  router.get(path, async (req, res) => {
    const subject = await proof.find(req, res)
    if (subject !== null) send(res, 200, subject, '')
  })
  router.post(action, async (req, res) => {
    const subject = await proof.find(req, res)
    const refused = subject && (await proof.enter(subject, req, res))
    if (subject === null || refused === null) return
    const words = site.words(res)
    const { status, error } = forms.explainRefusal(words, res, refused, words[wrong])
    send(res, status, subject, error)
  })
}

export function addSignInPages(router: Router, site: AccountSite): void {
  addProofPage(router, site, passwordPage(site))
  addProofPage(router, site, codePage(site))
  addProofPage(router, site, linkPage(site))
  router.post('/sign-out', requireSignedIn(site), checkCsrf(site), async (req, res) => {
    await endOwnSession(site, req, res)
    setTokenCookie(site, res, 'session', '', 0)
    sendRedirect(res, `${site.path}/sign-in`)
  })
}

const passwordPage = (site: AccountSite): ProofPage<{ to: string; name: string }> => ({
  path: '/sign-in',
  title: 'signIn',
  heading: 'welcome',
  wrong: 'wrongPassword',
  button: 'signIn',
  async find(req, res) {
    const to = nextPath(site, req)
    if (!isSafeMethod(req)) return { to, name: readFormFields(req, 'name').name }
    if (signedInAccount(res) === undefined) return { to, name: '' }
    sendRedirect(res, to)
    return null
  },
  fields({ to, name }, words) {
    const attributes = `autocomplete="username" autocapitalize="none" spellcheck="false" ${site.nameAttributes} required ${name === '' ? 'autofocus' : ''}`
    return html`!${renderHiddenInput('to', to)}
      !${inputField('name', { label: words.name, value: name, attributes })}
      !${forms.passwordField('password', words.password, `autocomplete="current-password" ${name === '' ? '' : 'autofocus'}`)}`
  },
  async enter({ to, name }, req, res) {
    const { password } = readFormFields(req, 'password')
    const result = await signIn(site.deps, { name, password, client: readClient(req) })
    if (result.outcome === 'signed-in') await openOwnSession(site, req, res, result.token, to)
    else if (result.outcome !== 'code-required') return result
    else {
      setTokenCookie(site, res, 'pending', result.token, pendingSessionMs / 1000)
      sendRedirect(res, `${site.path}/sign-in/code?to=${encodeURIComponent(to)}`)
    }
    return null
  },
})

const codePage = (site: AccountSite): ProofPage<Opened> => ({
  path: '/sign-in/code',
  title: 'enterCode',
  wrong: 'wrongCode',
  button: 'signIn',
  foot: (words) => html`<p class="faint">${words.lostCodes}</p>
    <p><a href="${site.path}/sign-in">${words.otherName}</a></p>`,
  find: (req, res) => findOpen(site, req, res, 'pending'),
  fields: ({ to, open }, words) => html`!${renderHiddenInput('csrf', open.csrf)}
    !${renderHiddenInput('to', to)}
    !${forms.codeField('code', words.code, words.codeHint)}`,
  enter: ({ to, open }, req, res) => enterCode(site, open, req, res, to),
})

type Opened = { to: string; open: OpenSession }

async function findOpen(site: AccountSite, req: Request, res: Response, kind: 'session' | 'pending') {
  const to = nextPath(site, req)
  const token = readTokenCookie(site, req, kind)
  const open = token === undefined ? null : await findOpenSession(site.deps, token, kind === 'pending')
  if (open !== null) return { to, open }
  if (kind === 'pending') setTokenCookie(site, res, kind, '', 0)
  sendRedirect(res, `${site.path}/sign-in?to=${encodeURIComponent(to)}`)
  return null
}

async function enterCode(site: AccountSite, open: OpenSession, req: Request, res: Response, to: string) {
  if (hasValidCsrf(open, readCsrfToken(req))) {
    const { code } = readFormFields(req, 'code')
    const result = await confirmSignIn(site.deps, open, { code, client: readClient(req) })
    if (result.outcome !== 'signed-in') return result
    await openOwnSession(site, req, res, result.token, to)
  } else site.refuse(res, 'other-session')
  return null
}

/** Proves again who is signed in, in a new session: by the code if there is one, else by the password. */
export const confirmPage = (site: AccountSite): ProofPage<Opened> => ({
  path: '/confirm',
  title: 'confirm',
  wrong: 'wrongProof',
  button: 'proceed',
  find: (req, res) => findOpen(site, req, res, 'session'),
  fields: ({ to, open }, words) => html`<p>${words.confirmText}</p>!${renderHiddenInput('csrf', open.csrf)}
    !${renderHiddenInput('to', to)}
    !${
      open.account.secondFactor === null
        ? forms.passwordField('password', words.password, 'autocomplete="current-password" autofocus')
        : forms.codeField('code', words.code, words.codeHint)
    }`,
  async enter({ to, open }, req, res) {
    if (open.account.secondFactor !== null) return enterCode(site, open, req, res, to)
    if (!hasValidCsrf(open, readCsrfToken(req))) {
      site.refuse(res, 'other-session')
      return null
    }
    const { password } = readFormFields(req, 'password')
    const { name } = currentAccount(res)
    const result = await signIn(site.deps, { name, password, client: readClient(req) })
    if (result.outcome === 'signed-in') await openOwnSession(site, req, res, result.token, to)
    else if (result.outcome !== 'code-required') return result
    else sendRedirect(res, `${site.path}/confirm?to=${encodeURIComponent(to)}`)
    return null
  },
})

/**
 * Logs contain only the route's pattern, so the token is never logged. With
 * the name in the form, password managers can store the new password.
 */
const linkPage = (site: AccountSite): ProofPage<{ token: string; name: string }> => ({
  path: '/set-password/:token',
  action: '/set-password',
  title: 'setPassword',
  button: 'setPasswordButton',
  async find(req, res) {
    const token = isSafeMethod(req) ? String(req.params['token']) : readFormFields(req, 'token').token
    const account = await findByPasswordLink(site.deps, token)
    if (account !== null) return { token, name: nameOf(site.deps, account) }
    sendInvalidLink(site, res)
    return null
  },
  fields: ({ token, name }, words) => newAccountFields(words, token, name),
  async enter({ token }, req, res) {
    const { password, again } = readFormFields(req, 'password', 'again')
    if (password !== again) return { outcome: 'invalid', fault: 'mismatch' }
    const result = await setPasswordByLink(site.deps, { token, password, ip: req.ip ?? '' })
    if (result.outcome === 'refused') sendInvalidLink(site, res)
    else if (result.outcome !== 'done') return result
    else {
      const { passwordSet, passwordSetText, signIn: toSignIn } = site.words(res)
      const body = html`<h1>${passwordSet}</h1>
        <p class="notice good" role="status">${passwordSetText}</p>
        <p><a class="button" href="${site.path}/sign-in">${toSignIn}</a></p>`
      site.send(res, { title: passwordSet, body })
    }
    return null
  },
})

export const newAccountFields = (words: AccountTexts, token: string, name: string): string =>
  html`!${renderHiddenInput('token', token)}
    !${inputField('name', { label: words.name, value: name, attributes: 'autocomplete="username" readonly' })}
    !${forms.newPasswordFields(words)}`

export function sendInvalidLink(site: AccountSite, res: Response): void {
  const { linkInvalid, linkInvalidText, signIn: toSignIn } = site.words(res)
  const body = html`<h1>${linkInvalid}</h1>
    <p>${linkInvalidText}</p>
    <p><a href="${site.path}/sign-in">${toSignIn}</a></p>`
  site.send(res, { status: 404, title: linkInvalid, body })
}

/** Never returns another site's URL or the sign-in page. */
function nextPath({ path, nextPaths }: AccountSite, req: Request) {
  const to = isSafeMethod(req) ? req.query.to : readFormFields(req, 'to').to
  const here = 'http://here.invalid'
  const url = typeof to === 'string' ? URL.parse(to, here) : null
  if (url === null) return path
  const { origin, pathname, search } = url
  const isIn = (first: string) => pathname === first || pathname.startsWith(`${first}/`)
  const isOurs = origin === here && [path, ...nextPaths].some(isIn)
  return isOurs && !pathname.startsWith(`${path}/sign-`) ? pathname + search : path
}

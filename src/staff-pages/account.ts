import type { Request, Response, Router } from 'express'
import { html } from 'ghtml'
import { renderSVG } from 'uqr'
import type { Account, Accounts } from '../accounts/account.ts'
import {
  addSecondFactor,
  proposeFactor,
  readProposedSecret,
  renewRecoveryCodes,
  type SecondFactorResult,
} from '../accounts/second-factor.ts'
import { totpUri } from '../accounts/second-factor-codes.ts'
import { endOtherSessions, endSession, listSessions } from '../accounts/sessions.ts'
import { changeOwnPassword } from '../accounts/set-password.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { renderHiddenInput } from '../http/pages/forms.ts'
import { sendPage, sendRedirect } from '../http/pages/send-page.ts'
import type { Deps } from '../platform/deps.ts'
import type { SignedInStaff } from '../staff/account.ts'
import { secondFactorPath } from '../staff/permissions.ts'
import { lookUpEntry, renderTime } from './format.ts'
import * as forms from './forms.ts'
import { checkCsrf, staffAsActor } from './guards.ts'
import { buttonForm, csrfField, currentStaff, renderStaffPage, sendStaffPage } from './layout.ts'
import { type SignInPageDeps, wrongCodeMessage } from './sign-in.ts'
import { sessionsTable } from './staff.ts'

export function addAccountPages(router: Router, deps: SignInPageDeps): void {
  router.get('/account', (req, res) =>
    sendAccount(deps, res, { status: 200, done: lookUpEntry(doneWords, req.query.done) }),
  )

  router.post('/account/password', checkCsrf, async (req, res) => {
    const { old, password, again } = readFormFields(req, 'old', 'password', 'again')
    if (password !== again)
      return sendAccount(deps, res, { status: 400, error: 'The new passwords do not match.' })
    const result = await changeOwnPassword(deps, currentStaff(res), { old, password, ip: req.ip ?? '' })
    if (result.outcome === 'done') return sendRedirect(res, '/admin/account?done=password')
    const refusal =
      result.outcome === 'invalid'
        ? { status: 400, error: unchanged, fault: result.fault }
        : forms.explainRefusal(res, result, 'The old password is wrong.')
    await sendAccount(deps, res, refusal)
  })

  router.post('/account/sessions/:id/end', checkCsrf, async (req: Request<{ id: string }>, res) => {
    const session = { id: currentStaff(res).id, sessionId: req.params.id }
    const isEnded = await endSession(deps, session, staffAsActor(req, res, null))
    if (isEnded) return sendRedirect(res, '/admin/account?done=session')
    const error = 'There is no such session. It may have ended already.'
    await sendAccount(deps, res, { status: 404, error })
  })

  router.post('/account/end-other-sessions', checkCsrf, async (req, res) => {
    const { id, sessionId } = currentStaff(res)
    await endOtherSessions(deps, { id, keptId: sessionId }, staffAsActor(req, res, null))
    sendRedirect(res, '/admin/account?done=sessions')
  })

  const factorPath = secondFactorPath.replace('/admin', '')
  router.get(factorPath, (_req, res) =>
    sendFactorForm(deps, res, { status: 200, error: '', ...proposeFactor(deps, currentStaff(res)) }),
  )

  router.post(factorPath, checkCsrf, async (req, res) => {
    const { sealed, code, current } = readFormFields(req, 'sealed', 'code', 'current')
    const sendNewForm = (error: string) =>
      sendFactorForm(deps, res, { status: 409, error, ...proposeFactor(deps, currentStaff(res)) })
    const secret = readProposedSecret(deps, currentStaff(res), sealed)
    if (secret === null) return sendNewForm('This form has expired. Scan the new QR code.')
    const input = { secret, code, current, ip: req.ip ?? '' }
    const result = await addSecondFactor(deps, currentStaff(res), input, staffAsActor(req, res, null))
    if (result.outcome === 'done') return sendCodes(res, 'Second factor added', result.codes)
    if (result.outcome === 'expired') return sendNewForm(accountChanged)
    await sendFactorForm(deps, res, { ...refusalOfCode(res, result), secret, sealed })
  })

  router.post('/account/recovery-codes', checkCsrf, async (req, res) => {
    const input = { ...readFormFields(req, 'code'), ip: req.ip ?? '' }
    const result = await renewRecoveryCodes(deps, currentStaff(res), input, staffAsActor(req, res, null))
    if (result.outcome === 'done') return sendCodes(res, 'Recovery codes renewed', result.codes)
    const { status, error } =
      result.outcome === 'expired' ? { status: 409, error: accountChanged } : refusalOfCode(res, result)
    const body = html`<h1>Recovery codes not renewed</h1>
      !${forms.errorNotice(error)}
      <p><a href="/admin/account">Back to your account</a></p>`
    sendStaffPage(res, { title: 'Your account', status, body })
  })
}

const unchanged = 'Your password was not changed. Correct the marked field.'
const accountChanged = 'Your account has changed. Try again.'

const doneWords = {
  password: 'Your password has been changed. Your other sessions have ended.',
  session: 'The session has ended.',
  sessions: 'Your other sessions have ended.',
} as const

interface Shown {
  status: number
  error?: string
  fault?: string
  done?: string | undefined
}

const accountOf = (deps: Pick<Accounts, 'Account'>, { id }: SignedInStaff) =>
  deps.Account.findOne({ _id: id }).lean<Account | null>().exec()

async function sendAccount(
  deps: Accounts & Pick<Deps, 'now'>,
  res: Response,
  { status, error = '', fault = '', done = '' }: Shown,
) {
  const staff = currentStaff(res)
  const [account, sessions] = await Promise.all([accountOf(deps, staff), listSessions(deps, staff.id)])
  const body = html`<h1>Your account</h1>
    !${done === '' ? '' : html`<p class="notice good" role="status">${done}</p>`} !${forms.errorNotice(error)}
    <dl class="facts"><dt>Name</dt><dd><bdi>${staff.name}</bdi></dd><dt>Role</dt><dd>${staff.role}</dd></dl>
    <h2>Second factor</h2>
    !${secondFactorSection(staff, account?.secondFactor ?? null)}
    <h2>Sessions</h2>
    !${sessionsTable(staff, sessions, (id) => `/admin/account/sessions/${encodeURIComponent(id)}/end`)}
    !${sessions.length > 1 ? buttonForm(staff, '/admin/account/end-other-sessions', 'End all other sessions') : ''}
    <h2>Password</h2>
    !${passwordForm(staff, fault)}`
  sendStaffPage(res, { title: 'Your account', status, body })
}

function secondFactorSection(staff: SignedInStaff, factor: Account['secondFactor']) {
  if (factor === null)
    return html`<p>Your account has no second factor, so your password alone opens it.</p>
      <p><a class="button" href="${secondFactorPath}">Add a second factor</a></p>`
  const code = forms.codeField('code', 'Code', 'The 6 digits in your authenticator app, or a recovery code.')
  return html`<p>Added !${renderTime(factor.addedAt)}. Unused recovery codes: ${factor.recoveryCodes.length}.</p>
    <p><a class="button" href="${secondFactorPath}">Replace the second factor</a></p>
    !${forms.formCard('/admin/account/recovery-codes', csrfField(staff) + code, 'Renew the recovery codes')}`
}

const passwordForm = (staff: SignedInStaff, fault: string) =>
  forms.formCard(
    '/admin/account/password',
    html`!${csrfField(staff)}
      !${forms.passwordField('old', 'Old password', 'autocomplete="current-password"')}
      !${forms.newPasswordFields(fault)}
      <p class="faint">This ends your other sessions.</p>`,
    'Change password',
  )

const wrongNewCode: forms.RefusedForm = {
  outcome: 'invalid',
  fault: 'The code of the new app is wrong. Enter the current code, and check your phone’s clock.',
}

const refusalOfCode = (res: Response, result: Exclude<SecondFactorResult, { outcome: 'done' | 'expired' }>) =>
  forms.explainRefusal(res, result.outcome === 'wrong-new-code' ? wrongNewCode : result, wrongCodeMessage)

async function sendFactorForm(
  deps: Pick<Accounts, 'Account'> & Pick<Deps, 'config'>,
  res: Response,
  { status, error, secret, sealed }: ReturnType<typeof proposeFactor> & { status: number; error: string },
) {
  const staff = currentStaff(res)
  const account = await accountOf(deps, staff)
  const hasFactor = (account?.secondFactor ?? null) !== null
  const title = hasFactor ? 'Replace your second factor' : 'Add a second factor'
  const uri = totpUri(secret, { name: staff.name, host: new URL(deps.config.publicUrl).host })
  const image = Buffer.from(renderSVG(uri, { border: 4 })).toString('base64')
  const current = forms.codeField(
    'current',
    'Code from the second factor that you are replacing',
    'The 6 digits in your current app, or a recovery code.',
  )
  const fields = html`!${csrfField(staff)}!${renderHiddenInput('sealed', sealed)}
    <p>Scan this QR code with an authenticator app on your phone, then enter the code that the app shows.</p>
    <p><img class="qr" src="data:image/svg+xml;base64,${image}" alt="QR code for the authenticator app" width="240" height="240" /></p>
    <p>Or type this key into the app: <code>${(secret.match(/.{1,4}/g) ?? []).join(' ')}</code></p>
    !${forms.codeField('code', 'Code', 'The 6 digits that the app shows for this account.')}
    !${hasFactor ? current : ''}`
  const body = html`<h1>${title}</h1>
    !${staff.mustAddFactor ? html`<p class="notice">Your role requires a second factor. Add one to open the other pages.</p>` : ''}
    !${forms.errorNotice(error)}
    !${forms.formCard(secondFactorPath, fields, title)}`
  sendStaffPage(res, { title, status, body })
}

/** Recovery codes aren't stored, so they can't be shown again. */
function sendCodes(res: Response, title: string, codes: readonly string[]) {
  const body = html`<h1>${title}</h1>
    <p class="notice good" role="status">Save these recovery codes now, but not on your phone. They will not be shown again.</p>
    <p>Without your phone, you can sign in with one of them instead of a code. Each works once. Earlier codes no longer work.</p>
    <ul class="card codes">!${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
    <p><a class="button" href="/admin">Continue</a></p>`
  sendPage(res, 200, renderStaffPage({ title, body }, { ...currentStaff(res), mustAddFactor: false }))
}

import type { Request, Response, Router } from 'express'
import { html } from 'ghtml'
import { formFields } from '../http/body/read-form.ts'
import { redirectTo } from '../http/pages/send-page.ts'
import type { Deps } from '../platform/deps.ts'
import type { Staff } from '../staff/account.ts'
import { secondFactorPath } from '../staff/permissions.ts'
import { changeOwnPassword } from '../staff/set-password.ts'
import { endOtherSessions, endSession, listSessions, type SignedIn } from '../staff/staff-sessions.ts'
import { byStaff, checkCsrf } from './guards.ts'
import { buttonForm, csrfField, sendStaffPage, staffOf, time } from './layout.ts'
import { entryNamed } from './paths.ts'
import {
  cardForm,
  codeField,
  errorNotice,
  newPasswordFields,
  passwordField,
  refusalOf,
} from './refused-form.ts'
import type { SignInPageDeps } from './sign-in.ts'
import { sessionsTable } from './staff.ts'

/** Adds the pages below `/admin/account`, where staff manage their own password, second factor and sessions. */
export function addAccountPages(router: Router, deps: SignInPageDeps): void {
  router.get('/account', async (req, res) => {
    await sendAccount(deps, res, { status: 200, done: entryNamed(doneWords, req.query.done) })
  })

  router.post('/account/password', checkCsrf, async (req, res) => {
    const { old, password, again } = formFields(req, 'old', 'password', 'again')
    const refuse = (status: number, error: string) => sendAccount(deps, res, { status, error })
    if (password !== again) return refuse(400, 'The two new passwords are not the same.')
    const result = await changeOwnPassword(deps, staffOf(res), { old, password, ip: req.ip ?? '' })
    if (result.outcome === 'done') return redirectTo(res, '/admin/account?done=password')
    if (result.outcome === 'invalid')
      return sendAccount(deps, res, { status: 400, error: unchanged, fault: result.fault })
    const { status, error } = refusalOf(res, result, 'The old password is wrong.')
    await refuse(status, error)
  })

  router.post('/account/sessions/:id/end', checkCsrf, async (req: Request<{ id: string }>, res) => {
    const session = { name: staffOf(res).name, sessionId: req.params.id }
    const isEnded = await endSession(deps, session, byStaff(req, res, null))
    if (isEnded) return redirectTo(res, '/admin/account?done=session')
    await sendAccount(deps, res, {
      status: 404,
      error: 'You have no such session. It may have already ended.',
    })
  })

  router.post('/account/end-other-sessions', checkCsrf, async (req, res) => {
    const { name, sessionId } = staffOf(res)
    await endOtherSessions(deps, { name, keptId: sessionId }, byStaff(req, res, null))
    redirectTo(res, '/admin/account?done=sessions')
  })
}

const unchanged = 'Your password was not changed. Correct the marked field.'

const doneWords = {
  password: 'Your password is changed. Your other sessions have ended.',
  session: 'The session has ended.',
  sessions: 'Your other sessions have ended.',
} as const

interface Shown {
  status: number
  error?: string
  /** Why the new password is not accepted. */
  fault?: string
  done?: string | undefined
}

async function sendAccount(
  deps: Pick<Deps, 'Staff' | 'StaffSession' | 'now'>,
  res: Response,
  { status, error = '', fault = '', done = '' }: Shown,
): Promise<void> {
  const staff = staffOf(res)
  const [account, sessions] = await Promise.all([
    deps.Staff.findOne({ _id: staff.name }).lean<Staff | null>(),
    listSessions(deps, staff.name),
  ])
  const body = html`<h1>Your account</h1>
    !${done === '' ? '' : html`<p class="notice good" role="status">${done}</p>`} !${errorNotice(error)}
    <dl class="facts"><dt>Name</dt><dd><bdi>${staff.name}</bdi></dd><dt>Role</dt><dd>${staff.role}</dd></dl>
    <h2>Second factor</h2>
    !${secondFactorSection(staff, account?.secondFactor ?? null)}
    <h2>Sessions</h2>
    !${sessionsTable(staff, sessions, (id) => `/admin/account/sessions/${encodeURIComponent(id)}/end`)}
    !${sessions.length > 1 ? buttonForm(staff, '/admin/account/end-other-sessions', 'End all other sessions') : ''}
    <h2>Password</h2>
    !${passwordForm(staff, fault)}`
  sendStaffPage(res, { title: 'Your account', status }, body)
}

function secondFactorSection(staff: SignedIn, factor: Staff['secondFactor']): string {
  if (factor === null)
    return html`<p>Your account has no second factor, so your password alone opens it.</p>
      <p><a class="button" href="${secondFactorPath}">Add a second factor</a></p>`
  return html`<p>Added !${time(factor.addedAt)}. Unused recovery codes: ${factor.recoveryCodes.length}.</p>
    <p><a class="button" href="${secondFactorPath}">Replace the second factor</a></p>
    !${cardForm(
      '/admin/account/recovery-codes',
      csrfField(staff) +
        codeField('code', 'Code', 'The 6 digits in your authenticator app, or a recovery code.'),
      'Renew the recovery codes',
    )}`
}

const passwordForm = (staff: SignedIn, fault: string): string =>
  cardForm(
    '/admin/account/password',
    html`!${csrfField(staff)}
      !${passwordField('old', 'Old password', 'current-password')}
      !${newPasswordFields(fault)}
      <p class="faint">This ends your other sessions.</p>`,
    'Change password',
  )

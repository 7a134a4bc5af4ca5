import type { Request, Response, Router } from 'express'
import { html } from 'ghtml'
import { renderSVG } from 'uqr'
import { formFields } from '../http/body/read-form.ts'
import { sendPage } from '../http/pages/send-page.ts'
import type { Deps } from '../platform/deps.ts'
import type { Staff } from '../staff/account.ts'
import { secondFactorPath } from '../staff/permissions.ts'
import {
  addSecondFactor,
  type FactorResult,
  proposedSecret,
  proposeFactor,
  renewRecoveryCodes,
} from '../staff/second-factor/add.ts'
import { totpUri } from '../staff/second-factor/totp.ts'
import { byStaff, checkCsrf } from './guards.ts'
import { csrfField, page, sendStaffPage, staffOf } from './layout.ts'
import { cardForm, codeField, errorNotice, type RefusedForm, refusalOf } from './refused-form.ts'
import { type SignInPageDeps, wrongCode } from './sign-in.ts'

/** Adds the page on which staff add or replace their second factor, and the form that renews the recovery codes. */
export function addSecondFactorPages(router: Router, deps: SignInPageDeps): void {
  const path = secondFactorPath.replace('/admin', '')

  router.get(path, async (_req, res) => {
    const { secret, sealed } = proposeFactor(deps, staffOf(res))
    await sendForm(deps, res, { status: 200, error: '', secret, sealed })
  })

  router.post(path, checkCsrf, async (req, res) => {
    const { sealed, code, current } = formFields(req, 'sealed', 'code', 'current')
    const secret = proposedSecret(deps, staffOf(res), sealed)
    if (secret === null) return sendNewForm(deps, res, 'This form has expired. Scan the new QR code.')
    const input = { secret, code, current, ip: req.ip ?? '' }
    const result = await addSecondFactor(deps, staffOf(res), input, byStaff(req, res, null))
    if (result.outcome === 'done') return sendCodes(res, 'Second factor added', result.codes)
    if (result.outcome === 'expired') return sendNewForm(deps, res, 'Your account has changed. Try again.')
    await sendForm(deps, res, { ...refusalOfCode(res, result), secret, sealed })
  })

  router.post('/account/recovery-codes', checkCsrf, async (req: Request, res: Response) => {
    const { code } = formFields(req, 'code')
    const input = { code, ip: req.ip ?? '' }
    const result = await renewRecoveryCodes(deps, staffOf(res), input, byStaff(req, res, null))
    if (result.outcome === 'done') return sendCodes(res, 'Recovery codes renewed', result.codes)
    const { status, error } =
      result.outcome === 'expired'
        ? { status: 409, error: 'Your account has changed. Try again.' }
        : refusalOfCode(res, result)
    const body = html`<h1>Recovery codes not renewed</h1>
      !${errorNotice(error)}
      <p><a href="/admin/account">Back to your account</a></p>`
    sendStaffPage(res, { title: 'Your account', status }, body)
  })
}

const wrongNewCode: RefusedForm = {
  outcome: 'invalid',
  fault: 'The code of the new app is wrong. Enter the current code, and check the clock of the phone.',
}

const refusalOfCode = (res: Response, result: Exclude<FactorResult, { outcome: 'done' | 'expired' }>) =>
  refusalOf(res, result.outcome === 'wrong-new-code' ? wrongNewCode : result, wrongCode)

async function sendNewForm(
  deps: Pick<Deps, 'Staff' | 'config' | 'secrets'>,
  res: Response,
  error: string,
): Promise<void> {
  await sendForm(deps, res, { status: 409, error, ...proposeFactor(deps, staffOf(res)) })
}

type Shown = ReturnType<typeof proposeFactor> & { status: number; error: string }

async function sendForm(
  deps: Pick<Deps, 'Staff' | 'config'>,
  res: Response,
  { status, error, secret, sealed }: Shown,
): Promise<void> {
  const staff = staffOf(res)
  const account = await deps.Staff.findOne({ _id: staff.name }).lean<Staff | null>()
  const hasFactor = (account?.secondFactor ?? null) !== null
  const title = hasFactor ? 'Replace your second factor' : 'Add a second factor'
  const uri = totpUri(secret, { name: staff.name, host: new URL(deps.config.publicUrl).host })
  const image = Buffer.from(renderSVG(uri, { border: 4 })).toString('base64')
  const current = codeField(
    'current',
    'Code of the second factor that you are replacing',
    'The 6 digits that your current app shows, or a recovery code.',
  )
  const body = html`<h1>${title}</h1>
    !${staff.mustAddFactor ? html`<p class="notice">Your role requires a second factor. Add one to open the other pages.</p>` : ''}
    !${errorNotice(error)}
    !${cardForm(
      secondFactorPath,
      html`!${csrfField(staff)}
      <input type="hidden" name="sealed" value="${sealed}" />
      <p>Scan this QR code with an authenticator app on your phone, then enter the code that the app shows.</p>
      <p><img class="qr" src="data:image/svg+xml;base64,${image}" alt="QR code for the authenticator app" width="240" height="240" /></p>
      <p>Or type this key into the app: <code>${(secret.match(/.{1,4}/g) ?? []).join(' ')}</code></p>
      !${codeField('code', 'Code', 'The 6 digits that the app shows for this account.')}
      !${hasFactor ? current : ''}`,
      title,
    )}`
  sendStaffPage(res, { title, status }, body)
}

/** Shows recovery codes. They are not stored, so they can be shown only in the response to the form. */
function sendCodes(res: Response, title: string, codes: readonly string[]): void {
  const body = html`<h1>${title}</h1>
    <p class="notice good" role="status">Store these recovery codes now, apart from your phone. They are not shown again.</p>
    <p>Without your phone, you can sign in with one of them instead of a code. Each works once. Earlier codes no longer work.</p>
    <ul class="card codes">!${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
    <p><a class="button" href="/admin">Continue</a></p>`
  const staff = { ...staffOf(res), mustAddFactor: false }
  sendPage(res, 200, page({ title, staff }, body))
}

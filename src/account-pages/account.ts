import type { Request, Response, Router } from 'express'
import { html } from 'ghtml'
import { renderSVG } from 'uqr'
import type { Account } from '../accounts/account.ts'
import {
  addSecondFactor,
  proposeFactor,
  readProposedSecret,
  renewRecoveryCodes,
  type SecondFactorResult,
} from '../accounts/second-factor.ts'
import { totpUri } from '../accounts/second-factor-codes.ts'
import { byAccount, endOtherSessions, endSession, listSessions } from '../accounts/sessions.ts'
import { changeOwnPassword } from '../accounts/set-password.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { renderHiddenInput } from '../http/pages/forms.ts'
import { sendRedirect } from '../http/pages/send-page.ts'
import type { Author } from '../security/actor.ts'
import * as forms from './forms.ts'
import { renderSessions } from './session-table.ts'
import { type AccountSite, checkCsrf, currentAccount } from './site.ts'
import type { AccountTexts } from './words/en.ts'

const factorPath = '/account/second-factor'

/** Every route needs `requireSignedIn` before it. */
export function addAccountPages(router: Router, site: AccountSite): void {
  const { deps, path: base } = site
  const ownForm = checkCsrf(site)
  const toAccount = (res: Response, done: keyof AccountTexts['done']) =>
    sendRedirect(res, `${base}/account?done=${done}`)

  router.get('/account', (req, res) => {
    const { done } = site.words(res)
    const text = Object.entries(done).find(([name]) => name === req.query.done)?.[1]
    return sendAccount(site, res, { status: 200, done: text })
  })

  router.post('/account/password', ownForm, async (req, res) => {
    const words = site.words(res)
    const { old, password, again } = readFormFields(req, 'old', 'password', 'again')
    if (password !== again) return sendAccount(site, res, { status: 400, error: words.faults.mismatch })
    const input = { old, password, ip: req.ip ?? '' }
    const result = await changeOwnPassword(deps, currentAccount(res), input)
    if (result.outcome === 'done') return toAccount(res, 'password')
    const { status, error } = forms.explainRefusal(words, res, result, words.wrongOldPassword)
    const isInvalid = result.outcome === 'invalid'
    await sendAccount(
      site,
      res,
      isInvalid ? { status, error: words.notChanged, fault: error } : { status, error },
    )
  })

  router.post('/account/sessions/:id/end', ownForm, async (req: Request<{ id: string }>, res) => {
    const session = { id: currentAccount(res).id, sessionId: req.params.id }
    if (await endSession(deps, session, byOwner(site, req, res))) return toAccount(res, 'session')
    await sendAccount(site, res, { status: 404, error: site.words(res).noSession })
  })

  router.post('/account/end-other-sessions', ownForm, async (req, res) => {
    const { id, sessionId } = currentAccount(res)
    await endOtherSessions(deps, { id, keptId: sessionId }, byOwner(site, req, res))
    toAccount(res, 'sessions')
  })

  router.get(factorPath, (_req, res) =>
    sendFactorForm(site, res, { status: 200, error: '', ...proposeFactor(deps, currentAccount(res)) }),
  )

  router.post(factorPath, ownForm, async (req, res) => {
    const words = site.words(res)
    const { sealed, code, current } = readFormFields(req, 'sealed', 'code', 'current')
    const sendNewForm = (error: string) =>
      sendFactorForm(site, res, { status: 409, error, ...proposeFactor(deps, currentAccount(res)) })
    const secret = readProposedSecret(deps, currentAccount(res), sealed)
    if (secret === null) return sendNewForm(words.formExpired)
    const input = { secret, code, current, ip: req.ip ?? '' }
    const result = await addSecondFactor(deps, currentAccount(res), input, byOwner(site, req, res))
    if (result.outcome === 'done') return sendCodes(site, res, words.factorDone, result.codes)
    if (result.outcome === 'expired') return sendNewForm(words.accountChanged)
    await sendFactorForm(site, res, { ...refusalOfCode(words, res, result), secret, sealed })
  })

  router.post('/account/recovery-codes', ownForm, async (req, res) => {
    const words = site.words(res)
    const input = { ...readFormFields(req, 'code'), ip: req.ip ?? '' }
    const result = await renewRecoveryCodes(deps, currentAccount(res), input, byOwner(site, req, res))
    if (result.outcome === 'done') return sendCodes(site, res, words.codesRenewed, result.codes)
    const { status, error } =
      result.outcome === 'expired'
        ? { status: 409, error: words.accountChanged }
        : refusalOfCode(words, res, result)
    const body = html`<h1>${words.codesNotRenewed}</h1>
      !${forms.errorNotice(error)}
      <p><a href="${base}/account">${words.toAccount}</a></p>`
    site.send(res, { title: words.account, status, body })
  })
}

const byOwner = ({ deps }: AccountSite, { ip = '' }: Pick<Request, 'ip'>, res: Response): Author => {
  const { id, expectValid } = currentAccount(res)
  return { ...byAccount(deps, id, ip), expectValid }
}

interface Shown {
  status: number
  error?: string
  fault?: string
  done?: string | undefined
}

const accountOf = ({ deps }: AccountSite, { id }: { id: string }) =>
  deps.Account.findOne({ _id: id }).lean<Account | null>().exec()

async function sendAccount(
  site: AccountSite,
  res: Response,
  { status, error = '', fault = '', done = '' }: Shown,
) {
  const words = site.words(res)
  const own = currentAccount(res)
  const [account, sessions] = await Promise.all([accountOf(site, own), listSessions(site.deps, own.id)])
  const endPath = (id: string) => `${site.path}/account/sessions/${encodeURIComponent(id)}/end`
  const others = forms.buttonForm(own, `${site.path}/account/end-other-sessions`, words.endOthers)
  const body = html`<h1>${words.account}</h1>
    !${done === '' ? '' : html`<p class="notice good" role="status">${done}</p>`} !${forms.errorNotice(error)}
    !${site.facts(res)}
    <h2>${words.secondFactor}</h2>
    !${factorSection(site, res, account?.secondFactor ?? null)}
    <h2>${words.sessions}</h2>
    !${renderSessions(words, (at) => site.time(res, at), own, sessions, endPath)}
    !${sessions.length > 1 ? others : ''}
    <h2>${words.password}</h2>
    !${passwordForm(site, res, fault)}`
  site.send(res, { title: words.account, status, body, isWide: true })
}

function factorSection(site: AccountSite, res: Response, factor: Account['secondFactor']) {
  const words = site.words(res)
  const path = site.path + factorPath
  if (factor === null)
    return html`<p>${words.noFactor}</p><p><a class="button" href="${path}">${words.addFactor}</a></p>`
  const code = forms.codeField('code', words.code, words.shortCodeHint)
  const fields = renderHiddenInput('csrf', currentAccount(res).csrf) + code
  return html`<p>!${words.factorAdded(site.time(res, factor.addedAt), factor.recoveryCodes.length)}</p>
    <p><a class="button" href="${path}">${words.replaceFactor}</a></p>
    !${forms.formCard(`${site.path}/account/recovery-codes`, fields, words.renewCodes)}`
}

function passwordForm(site: AccountSite, res: Response, fault: string) {
  const words = site.words(res)
  const fields = html`!${renderHiddenInput('csrf', currentAccount(res).csrf)}
      !${forms.passwordField('old', words.oldPassword, 'autocomplete="current-password"')}
      !${forms.newPasswordFields(words, fault)}
      <p class="faint">${words.endsOthers}</p>`
  return forms.formCard(`${site.path}/account/password`, fields, words.changePassword)
}

const wrongNewCode = { outcome: 'invalid', fault: 'new-code' } as const

const refusalOfCode = (
  words: AccountTexts,
  res: Response,
  result: Exclude<SecondFactorResult, { outcome: 'done' | 'expired' }>,
) =>
  forms.explainRefusal(
    words,
    res,
    result.outcome === 'wrong-new-code' ? wrongNewCode : result,
    words.wrongCode,
  )

async function sendFactorForm(
  site: AccountSite,
  res: Response,
  { status, error, secret, sealed }: ReturnType<typeof proposeFactor> & { status: number; error: string },
) {
  const words = site.words(res)
  const own = currentAccount(res)
  const hasFactor = ((await accountOf(site, own))?.secondFactor ?? null) !== null
  const title = hasFactor ? words.replaceTitle : words.addFactor
  const uri = totpUri(secret, { name: own.name, host: new URL(site.deps.config.publicUrl).host })
  const image = Buffer.from(renderSVG(uri, { border: 4 })).toString('base64')
  const current = forms.codeField('current', words.currentCode, words.currentCodeHint)
  const fields = html`!${renderHiddenInput('csrf', own.csrf)}!${renderHiddenInput('sealed', sealed)}
    <p>${words.scan}</p>
    <p><img class="qr" src="data:image/svg+xml;base64,${image}" alt="${words.qrAlt}" width="240" height="240" /></p>
    <p><a href="${uri}">${words.onPhone}</a></p>
    <p>${words.typeKey} <bdi dir="ltr"><code>${(secret.match(/.{1,4}/g) ?? []).join(' ')}</code></bdi></p>
    !${forms.codeField('code', words.code, words.newCodeHint)}
    !${hasFactor ? current : ''}`
  const body = html`<h1>${title}</h1>
    !${site.mustAddFactor(res) ? html`<p class="notice">${words.mustAddFactor}</p>` : ''}
    !${forms.errorNotice(error)}
    !${forms.formCard(site.path + factorPath, fields, title)}`
  site.send(res, { title, status, body })
}

/** Recovery codes aren't stored, so they can't be shown again. */
function sendCodes(site: AccountSite, res: Response, title: string, codes: readonly string[]) {
  const words = site.words(res)
  const body = html`<h1>${title}</h1>
    <p class="notice good" role="status">${words.saveCodes}</p>
    <p>${words.aboutCodes}</p>
    <ul class="card codes">!${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
    <p><a class="button" href="${site.path}">${words.proceed}</a></p>`
  site.send(res, { title, body, hasNewFactor: true })
}

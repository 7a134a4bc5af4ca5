import { type Request, type Response, Router } from 'express'
import { html } from 'ghtml'
import type { Deps } from '../deps.ts'
import { formFields } from '../http/body/read-form.ts'
import { deadlineOf } from '../http/pages/prepare-page.ts'
import { redirectTo, sendPage } from '../http/pages/send-page.ts'
import { readCode } from '../intents/code.ts'
import { findByCode } from '../intents/find.ts'
import { isId } from '../security/ids.ts'
import { type FormMessages, field, hasMessages, noMessages, summary } from './forms.ts'
import { page } from './layout.ts'
import type { LookupLimit } from './limits.ts'
import { addressOf, type Locale, localeOf } from './locale.ts'
import { newLinkProof } from './proofs.ts'
import { onlyBy, sendNotFound, sendTooMany } from './respond.ts'

/**
 * Serves the pages on which a customer types a payment code: `/` for live codes, and `/sandbox/{businessId}` for a
 * business's test codes. A customer who types a valid code is redirected to the payment's page.
 */
export function codePages(deps: Deps, lookupLimit: LookupLimit): Router {
  const router = Router({ strict: true, caseSensitive: true })

  const show = (req: Request, res: Response) => sendForm(req, res, 200, '', noMessages)
  router.get('/', show)
  router.get('/sandbox/:businessId', requireId, show)

  const look = async (req: Request, res: Response) => {
    const locale = localeOf(res)
    const { faults, code: words } = locale.words
    const { code: typed } = formFields(req, 'code')
    const code = readCode(typed)
    if (code === null) return sendForm(req, res, 422, typed, { notice: null, faults: { code: faults.code } })
    const sandboxOf = sandboxOwner(req)
    const lookup = await deadlineOf(res).run(() =>
      lookupLimit.code(req.ip ?? '', sandboxOf === null ? 'live' : 'test', () => findByCode(deps, sandboxOf, code)),
    )
    if (lookup.outcome === 'closed') return sendTooMany(req, res, lookup.closedMs)
    if (lookup.outcome === 'found') return redirectTo(res, addressOfPayment(deps, locale, lookup.found))
    // The response does not reveal whether the code is unknown, used, cancelled or expired.
    sendForm(req, res, 422, typed, { notice: null, faults: { code: words.unknown } })
  }
  router.post('/', look)
  router.post('/sandbox/:businessId', requireId, look)
  router.all(['/', '/sandbox/:businessId'], onlyBy('GET, HEAD, POST'))
  return router
}

/**
 * Returns the URL of the payment's page. The URL includes a proof (proofs.ts), because a customer who has typed a
 * valid code is not guessing links.
 */
const addressOfPayment = (deps: Pick<Deps, 'secrets'>, locale: Locale, found: { shortCode: string }): string =>
  addressOf(locale, `/p/${found.shortCode}`, { proof: newLinkProof(deps, found) })

const sandboxOwner = ({ params }: Request): string | null =>
  typeof params.businessId === 'string' ? params.businessId : null

/** Checks only the format of the id, so the response does not reveal whether the business exists. */
function requireId(req: Request, res: Response, next: () => void): void {
  if (isId(sandboxOwner(req) ?? '')) next()
  else sendNotFound(res)
}

function sendForm(req: Request, res: Response, status: number, typed: string, messages: FormMessages): void {
  const locale = localeOf(res)
  const { words } = locale
  const { title, label, hint, button } = words.code
  const { path } = req
  const body = html`!${summary(locale, messages)}
<h1>${title}</h1>
<form method="post" action="${addressOf(locale, path, {})}" data-busy="${button}" novalidate>
!${field({
    name: 'code',
    label,
    hint,
    value: typed,
    // The maximum length leaves room for spaces and dashes between the digits.
    attributes: 'inputmode="numeric" autocomplete="off" maxlength="20" required',
    fault: messages.faults.code ?? null,
  })}
<button>${button}</button>
</form>`
  const sandbox = sandboxOwner(req) !== null
  const heading = hasMessages(messages) ? words.wrong(title) : title
  sendPage(res, status, page({ locale, title: heading, path, query: {}, sandbox }, body))
}

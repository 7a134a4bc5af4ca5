import { unescape } from 'node:querystring'
import { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express'
import { html } from 'ghtml'
import { readFormFields } from '../http/body/read-form.ts'
import { type FormMessages, renderErrorSummary, titleOfForm } from '../http/pages/forms.ts'
import { localizedPath } from '../http/pages/locale.ts'
import { pageDeadline } from '../http/pages/prepare-page.ts'
import { sendRedirect } from '../http/pages/send-page.ts'
import { isCodeActive, readPaymentCode } from '../intents/codes.ts'
import { type CheckoutIntent, findIntentByCode } from '../intents/find.ts'
import { intentAsOf } from '../intents/present.ts'
import type { Deps } from '../platform/deps.ts'
import { isId, isShortCode } from '../platform/ids.ts'
import { renderFormField } from './forms.ts'
import { refuseOtherMethods, sendCheckoutPage, sendNotFoundPage, sendTooManyPage } from './layout.ts'
import { createPinLimit, type LookupLimit } from './limits.ts'
import { localeOf } from './locale.ts'
import * as offers from './offer.ts'
import { confirmPayment, showPaymentPage } from './payment-page.ts'
import { hasLinkProof, newLinkProof } from './proofs.ts'
import { sendQrImage, showQrPage } from './qr-page.ts'

/** Serves the page at `payUrl` (SPEC 2.1) and everything below it. */
export function createPayPages(deps: Deps, lookupLimit: LookupLimit): Router {
  const router = Router({ strict: true, caseSensitive: true })
  const offered = createOffered(deps, lookupLimit)
  router.use('/p', redirectToPage)
  router.get('/p/:shortCode', offered(showPaymentPage))
  router.post('/p/:shortCode', offered(confirmPayment(createPinLimit(deps))))
  router.get('/p/:shortCode/status', offered(sendState))
  router.get('/p/:shortCode/qr', offered(showQrPage, '/qr'))
  router.get('/p/:shortCode/qr.svg', offered(sendQrImage('svg'), '/qr'))
  router.get('/p/:shortCode/qr.png', offered(sendQrImage('png'), '/qr'))
  router.all('/p/:shortCode', refuseOtherMethods('GET, HEAD, POST'))
  router.all(
    parts.map((part) => `/p/:shortCode/${part}`),
    refuseOtherMethods('GET, HEAD'),
  )
  return router
}

const parts = ['status', 'qr', 'qr.svg', 'qr.png']

/**
 * Fixes a link that was copied with a full stop, bracket or space. It's done
 * without a lookup, so it doesn't reveal whether the payment exists.
 */
function redirectToPage({ method, path, baseUrl, originalUrl }: Request, res: Response, next: NextFunction) {
  const [shortCode = '', ...words] = unescape(path).match(/[a-z\d]+/gi) ?? []
  const part = words.join('.')
  const meant = `/${shortCode}${part && `/${part}`}`
  const isPage = isShortCode(shortCode.toUpperCase()) && ['', ...parts].includes(part)
  if (!isPage || meant === path || !['GET', 'HEAD'].includes(method)) return next()
  sendRedirect(res, baseUrl + meant + (/\?.*/.exec(originalUrl)?.[0] ?? ''))
}

const createOffered =
  (deps: Deps, lookupLimit: LookupLimit) =>
  (act: offers.OfferHandler, view: offers.CheckoutView = ''): RequestHandler<{ shortCode: string }> =>
  async (req, res) => {
    const shortCode = req.params.shortCode.toUpperCase()
    // An invalid short code doesn't count as a miss.
    if (!isShortCode(shortCode)) return sendNotFoundPage(res)
    const now = deps.now()
    const isLimited = !hasLinkProof(deps, { shortCode }, req as Request)
    const lookup = await pageDeadline(res).run((deadlineAt) =>
      lookupLimit.link(isLimited ? (req.ip ?? '') : null, () =>
        findByShortCode(deps, shortCode, { now, deadlineAt }),
      ),
    )
    if (lookup.outcome === 'closed') return sendTooManyPage(req, res, lookup.closedMs)
    if (lookup.outcome === 'missed') return sendNotFoundPage(res)
    const { sent } = req.query
    const { found } = lookup
    const offer: offers.Offer = {
      intent: intentAsOf(found, now),
      state: offers.checkoutStateOf(found, now),
      locale: localeOf(res),
      path: `/p/${shortCode}`,
      view,
      proof: newLinkProof(deps, found),
      sent: typeof sent === 'string' && isId(sent) ? sent : null,
      now,
    }
    await act(deps, offer, req as Request, res)
  }

/** For `unavailable`, the script reloads the page. */
const sendState: offers.OfferHandler = (deps, offer, _req, res) => {
  const { intent, state, locale, now } = offer
  const isUnavailable = state === 'pending' && offers.usableWalletFor(deps, intent) === null
  const left = offers.canStateChange(state) ? locale.left(offers.remainingMs(offer)) : ''
  res.json({ state: isUnavailable ? 'unavailable' : state, left, isCodeActive: isCodeActive(intent, now) })
}

/**
 * Customers may need the receipt for this long, e.g. for a dispute. Later, an
 * old link must not reveal what someone bought.
 */
const receiptMs = 90 * 24 * 3_600_000

/** Also returns null if the intent was paid too long ago. */
async function findByShortCode(
  deps: Pick<Deps, 'batchers'>,
  shortCode: string,
  { now, deadlineAt }: { now: Date; deadlineAt: number },
): Promise<CheckoutIntent | null> {
  const found = await deps.batchers.findOffered(shortCode, deadlineAt)
  const paidAt = found?.payment?.paidAt
  return paidAt !== undefined && paidAt.getTime() + receiptMs <= now.getTime() ? null : found
}

/** `/` is for live codes, `/sandbox/{businessId}` for test codes. */
export function createCodePages(
  deps: Pick<Deps, 'Intent' | 'now' | 'secrets'>,
  lookupLimit: LookupLimit,
): Router {
  const router = Router({ strict: true, caseSensitive: true })

  const showForm = (req: Request, res: Response) => sendForm(req, res, 200, '', {})
  router.get('/', showForm)
  router.get('/sandbox/:businessId', requireId, showForm)

  const look = async (req: Request, res: Response) => {
    const locale = localeOf(res)
    const { faults, code: words } = locale.words
    const { code: typed } = readFormFields(req, 'code')
    const code = readPaymentCode(typed)
    if (code === null) return sendForm(req, res, 422, typed, { faults: { code: faults.code } })
    const sandboxOf = sandboxOwner(req)
    const lookup = await pageDeadline(res).run(() =>
      lookupLimit.code(req.ip ?? '', sandboxOf === null ? 'live' : 'test', () =>
        findIntentByCode(deps, sandboxOf, code),
      ),
    )
    if (lookup.outcome === 'closed') return sendTooManyPage(req, res, lookup.closedMs)
    if (lookup.outcome === 'found') {
      // A customer who has typed a valid code isn't guessing links.
      const proof = newLinkProof(deps, lookup.found)
      return sendRedirect(res, localizedPath(locale, `/p/${lookup.found.shortCode}`, { proof }))
    }
    // The response doesn't reveal why the code doesn't work.
    sendForm(req, res, 422, typed, { faults: { code: words.unknown } })
  }
  router.post('/', look)
  router.post('/sandbox/:businessId', requireId, look)
  router.all(['/', '/sandbox/:businessId'], refuseOtherMethods('GET, HEAD, POST'))
  return router
}

const sandboxOwner = ({ params }: Request) =>
  typeof params.businessId === 'string' ? params.businessId : null

/** The response doesn't reveal whether the business exists. */
function requireId(req: Request, res: Response, next: () => void) {
  if (isId(sandboxOwner(req) ?? '')) next()
  else sendNotFoundPage(res)
}

function sendForm(req: Request, res: Response, status: number, typed: string, messages: FormMessages) {
  const locale = localeOf(res)
  const { words } = locale
  const { title, button } = words.code
  const { path } = req
  const body = html`!${renderErrorSummary(locale, messages, words.problem)}
<h1>${title}</h1>
<form method="post" action="${localizedPath(locale, path, {})}" data-busy="${button}" novalidate>
!${renderFormField('code', words.code, typed, messages)}
<button>${button}</button>
</form>`
  const sandbox = sandboxOwner(req) !== null
  const heading = titleOfForm(locale, title, messages)
  sendCheckoutPage(res, status, { locale, title: heading, path, query: {}, sandbox }, body)
}

import { unescape } from 'node:querystring'
import { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express'
import type { Deps } from '../deps.ts'
import { deadlineOf } from '../http/pages/prepare-page.ts'
import { redirectTo } from '../http/pages/send-page.ts'
import type { OfferedIntent } from '../intents/batchers.ts'
import { isCodeActive } from '../intents/code.ts'
import { isId, isShortCode } from '../security/ids.ts'
import { createPinLimit, type LookupLimit } from './limits.ts'
import { isOpen, leftMs, type OfferHandler, offerOf, type View, walletFor } from './offer.ts'
import { confirm, show } from './payment-page.ts'
import { hasLinkProof } from './proofs.ts'
import { sendQrImage, showQr } from './qr-page.ts'
import { onlyBy, sendNotFound, sendTooMany } from './respond.ts'

/**
 * Serves `/p/{shortCode}`: a payment's page (`payUrl` in SPEC 2.1), its form, its status for the script, and its QR
 * code.
 */
export function payPages(deps: Deps, lookupLimit: LookupLimit): Router {
  const router = Router({ strict: true, caseSensitive: true })
  const offered = createOffered(deps, lookupLimit)
  router.use('/p', redirectToPage)
  router.get('/p/:shortCode', offered(show))
  router.post('/p/:shortCode', offered(confirm(createPinLimit(deps))))
  router.get('/p/:shortCode/status', offered(sendState))
  router.get('/p/:shortCode/qr', offered(showQr, '/qr'))
  router.get('/p/:shortCode/qr.svg', offered(sendQrImage('svg'), '/qr'))
  router.get('/p/:shortCode/qr.png', offered(sendQrImage('png'), '/qr'))
  router.all('/p/:shortCode', onlyBy('GET, HEAD, POST'))
  router.all(
    parts.map((part) => `/p/:shortCode/${part}`),
    onlyBy('GET, HEAD'),
  )
  return router
}

/** The paths below a payment's page. */
const parts = ['status', 'qr', 'qr.svg', 'qr.png']

/**
 * Redirects a link that was copied with the text around it, such as a full stop, a bracket or a blank, to the page that
 * is meant. Nothing is looked up here, so the redirect does not reveal whether there is such a payment.
 */
function redirectToPage({ method, path, baseUrl, originalUrl }: Request, res: Response, next: NextFunction): void {
  const [shortCode = '', ...words] = unescape(path).match(/[a-z\d]+/gi) ?? []
  const part = words.join('.')
  const meant = `/${shortCode}${part && `/${part}`}`
  const isPage = isShortCode(shortCode.toUpperCase()) && ['', ...parts].includes(part)
  if (!isPage || meant === path || !['GET', 'HEAD'].includes(method)) return next()
  redirectTo(res, baseUrl + meant + (/\?.*/.exec(originalUrl)?.[0] ?? ''))
}

/**
 * Finds the payment to which a URL belongs. The limit on guessing links applies only to visitors who do not have a
 * proof from the payment's page.
 */
const createOffered =
  (deps: Deps, lookupLimit: LookupLimit) =>
  (act: OfferHandler, view: View = ''): RequestHandler<{ shortCode: string }> =>
  async (req, res) => {
    const shortCode = req.params.shortCode.toUpperCase()
    // An invalid short code does not count as a failed attempt.
    if (!isShortCode(shortCode)) return sendNotFound(res)
    const now = deps.now()
    const isLimited = !hasLinkProof(deps, { shortCode }, req as Request)
    const lookup = await deadlineOf(res).run((deadlineAt) =>
      lookupLimit.link(isLimited ? (req.ip ?? '') : null, () => findByShortCode(deps, shortCode, { now, deadlineAt })),
    )
    if (lookup.outcome === 'closed') return sendTooMany(req, res, lookup.closedMs)
    if (lookup.outcome === 'missed') return sendNotFound(res)
    const { sent } = req.query
    const ownPaymentId = typeof sent === 'string' && isId(sent) ? sent : null
    await act(deps, offerOf(deps, res, lookup.found, { view, sent: ownPaymentId, now }), req as Request, res)
  }

/**
 * Sends the payment's state, the time left to pay and whether the payment code is active. The state `unavailable` means
 * that the payment is `pending` but cannot be paid at the moment. If a customer has the payment form open, the script
 * then reloads the page.
 */
const sendState: OfferHandler = (deps, offer, _req, res) => {
  const { intent, state, locale, now } = offer
  const isUnavailable = state === 'pending' && walletFor(deps, intent) === null
  const left = isOpen(state) ? locale.left(leftMs(offer)) : ''
  res.json({ state: isUnavailable ? 'unavailable' : state, left, isCodeActive: isCodeActive(intent, now) })
}

/**
 * How long anyone with the link can open the receipt of a payment. Customers need it while they may still return goods
 * or dispute the payment, which is at most three months. After that, an old message no longer reveals what someone
 * bought.
 */
const receiptMs = 90 * 24 * 3_600_000

/**
 * Returns the intent with this short code, from any business or environment. Returns null if there is none, or if it
 * was paid too long ago.
 */
async function findByShortCode(
  deps: Pick<Deps, 'batchers'>,
  shortCode: string,
  { now, deadlineAt }: { now: Date; deadlineAt: number },
): Promise<OfferedIntent | null> {
  const found = await deps.batchers.findOffered(shortCode, deadlineAt)
  const paidAt = found?.payment?.paidAt
  return paidAt !== undefined && paidAt.getTime() + receiptMs <= now.getTime() ? null : found
}

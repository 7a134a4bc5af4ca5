import { html } from 'ghtml'
import { drawQrPng, drawQrSvg } from '../http/pages/qr.ts'
import { isolateLtrText, renderFactList, renderLtr } from '../http/pages/text.ts'
import { codeUrlOf, payUrlOf } from '../intents/present.ts'
import type { Deps } from '../platform/deps.ts'
import { renderTimeLeft } from './forms.ts'
import { priceRows, sellerRows } from './layout.ts'
import * as offers from './offer.ts'
import { renderStatePanel } from './panels.ts'
import { refuseUnpayable } from './payment-page.ts'

/** Merchants show this page at a counter, and customers scan the code. */
export const showQrPage: offers.OfferHandler = (deps, offer, _req, res) => {
  const { state } = offer
  if (state !== 'pending') return offers.sendOfferPage(res, 200, offer, renderStatePanel(offer, state))
  if (refuseUnpayable(deps, offer, res)) return
  offers.sendOfferPage(res, 200, offer, qrSheet(deps, offer))
}

function qrSheet(deps: Pick<Deps, 'config'>, offer: offers.Offer) {
  const { intent, locale } = offer
  const { amount, amountType } = intent
  const { qr } = locale.words
  const isChosen = amountType === 'OPEN' || amount === null
  const price = isChosen ? null : { amount, fee: offers.currentCommission(deps, offer, amount).payerTtc }
  const total = price === null ? null : locale.money(price.amount + price.fee)
  const title = (shown: string | null) => (shown === null ? qr.titleOpen : qr.title(shown))
  // Customers type this address, so the scheme is left out.
  const address = codeUrlOf(deps.config.payUrl, intent).replaceAll(/^https?:\/\/|\/$/g, '')
  const code = offers.showsCode(offer)
    ? html`<p>!${qr.code(renderLtr(address))}</p>
<p class="code">!${renderLtr(`${intent.code.slice(0, 3)} ${intent.code.slice(3)}`)}</p>`
    : ''
  const body = html`<h1>!${title(total === null ? null : renderLtr(total))}</h1>
!${renderFactList([...sellerRows(locale, intent), ...(price === null || price.fee === 0 ? [] : priceRows(locale, price))])}
<div class="qr" role="img" aria-label="${qr.image}">!${drawQrSvg(payUrlOf(deps.config.payUrl, intent))}</div>
!${code}
!${renderTimeLeft(offer)}
<p class="way">!${(['svg', 'png'] as const).map((type) => html`<a href="${offers.qrImageUrl(offer, type)}" download>${qr.download(type.toUpperCase())}</a>`)}</p>`
  return { title: title(total === null ? null : isolateLtrText(locale, total)), query: {}, body }
}

const images = {
  svg: { type: 'image/svg+xml', draw: drawQrSvg },
  png: { type: 'image/png', draw: drawQrPng },
}

/** The 410 keeps merchants from printing a QR code that can't be used. */
export const sendQrImage =
  (format: keyof typeof images): offers.OfferHandler =>
  (deps, offer, _req, res) => {
    const { intent, state } = offer
    if (!offers.canStateChange(state))
      return offers.sendOfferPage(res, 410, offer, renderStatePanel(offer, state))
    if (refuseUnpayable(deps, offer, res)) return
    const { type, draw } = images[format]
    const image = draw(payUrlOf(deps.config.payUrl, intent))
    if (res.headersSent) return
    res.setHeader('Content-Type', type)
    res.setHeader('Content-Disposition', `inline; filename="${intent.referenceNumber}.${format}"`)
    res.setHeader('Content-Length', Buffer.byteLength(image))
    res.end(image)
  }

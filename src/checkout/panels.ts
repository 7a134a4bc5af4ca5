import { html } from 'ghtml'
import { isolateTextOrNull, renderFactList, renderLtr, renderMoney } from '../http/pages/text.ts'
import type { CheckoutIntent } from '../intents/find.ts'
import { type PriceWithFee, priceRows } from './layout.ts'
import * as offers from './offer.ts'
import type { NoticeText } from './words/en.ts'

export function renderStatePanel(offer: offers.Offer, state: Exclude<offers.CheckoutState, 'pending'>) {
  const { panels } = offer.locale.words
  switch (state) {
    case 'waiting':
      return waiting(offer, panels.waiting)
    case 'paid':
      return isPaidByAnother(offer) ? ended(offer, panels.paidBefore) : paid(offer, panels.paid)
    case 'refunded': {
      const [, notCharged] = panels.paidBefore
      const { payment, refunded } = offer.intent
      const title = refunded === (payment?.amountPaid ?? 0) ? panels.refunded : panels.refundedInPart
      return ended(offer, [title, isPaidByAnother(offer) ? notCharged : null])
    }
    case 'cancelled':
    case 'expired':
    case 'failed':
      return ended(offer, panels[state])
  }
}

/** If the business is suspended, the page shows none of the merchant's text. */
export function renderUnpayablePanel(offer: offers.Offer): offers.CheckoutPageContent {
  const { intent, locale } = offer
  const { panels, facts: terms } = locale.words
  const [title, sentence] = panels.unavailable
  if (!intent.isSuspended) return ended(offer, panels.unavailable)
  const body = html`<h1>${title}</h1>
<p>${sentence}</p>
!${renderFactList([[terms.reference, renderLtr(intent.referenceNumber)]])}`
  return { title, query: {}, body }
}

function waiting(offer: offers.Offer, [title, sentence]: NoticeText) {
  const body = html`<noscript><meta http-equiv="refresh" content="3;url=${offers.currentPageUrl(offer)}"></noscript>
<div class="busy" !${offers.pollAttributes(offer)}></div>
<h1>${title}</h1>
<p role="status">${sentence}</p>
!${receipt(offer)}`
  return { title, query: offers.ownPaymentQuery(offer.sent), body }
}

const paid = (offer: offers.Offer, title: string) => ({
  title,
  query: {},
  body: html`<p class="tick good" aria-hidden="true">✓</p>
<h1>${title}</h1>
!${receipt(offer)}
!${print(offer)}
!${leaving(offer)}
!${back(offer)}`,
})

const ended = (
  offer: offers.Offer,
  [title, sentence]: readonly [title: string, sentence: string | null],
) => ({
  title,
  query: isPaidByAnother(offer) ? offers.ownPaymentQuery(offer.sent) : {},
  body: html`<h1>${title}</h1>
!${sentence === null ? '' : html`<p>${sentence}</p>`}
!${receipt(offer)}
!${offer.intent.payment === null || isPaidByAnother(offer) ? '' : print(offer)}
!${back(offer)}`,
})

/**
 * True if the intent was paid with another customer's form. This customer wasn't
 * charged, because an intent's payments never overlap.
 */
const isPaidByAnother = ({ intent: { payment }, sent }: offers.Offer) =>
  sent !== null && payment !== null && payment.key !== sent

const print = ({ locale }: offers.Offer) =>
  html`<button type="button" class="plain" hidden data-print>${locale.words.print}</button>`

function receipt(offer: offers.Offer) {
  const { intent, locale } = offer
  const { payment, merchant, label, referenceNumber, merchantReference } = intent
  const { facts: terms } = locale.words
  const price = priceOf(intent)
  return renderFactList([
    [terms.merchant, isolateTextOrNull(merchant)],
    [terms.paidAt, payment === null ? null : html`${locale.moment(payment.paidAt)}`],
    [terms.label, isolateTextOrNull(label)],
    ...(price === null ? [] : priceRows(locale, price)),
    [
      terms.refunded,
      intent.refunded === 0 ? null : renderMoney(locale, intent.refunded + intent.refundedFee),
    ],
    [terms.wallet, payment === null || isPaidByAnother(offer) ? null : renderLtr(payment.payerPhone)],
    [terms.reference, renderLtr(referenceNumber)],
    [terms.merchantReference, isolateTextOrNull(merchantReference)],
  ])
}

function priceOf({ payment, hold, amount, amountType }: CheckoutIntent): PriceWithFee | null {
  if (payment !== null) return { amount: payment.amountPaid, fee: payment.commission.payerTtc }
  if (hold !== null) return { amount: hold.amount, fee: hold.commission.payerTtc }
  return amountType === 'OPEN' || amount === null ? null : { amount, fee: 0 }
}

/** The script redirects the customer unless they press the button. */
function leaving(offer: offers.Offer) {
  const { intent, state, locale, sent } = offer
  const url = offers.returnUrl(intent, state)
  if (url === null || state !== 'paid' || sent === null || intent.payment?.key !== sent) return ''
  const { leaving: sentence, stay } = locale.words.back
  const here = offers.currentPageUrl({ ...offer, sent: null })
  return html`<div hidden data-leave="${url}" data-here="${here}">
<p role="status">${sentence}</p>
<button type="button" class="plain">${stay}</button>
</div>`
}

function back({ intent, state, locale }: offers.Offer) {
  const url = offers.returnUrl(intent, state)
  return url === null
    ? ''
    : html`<p><a class="button" href="${url}" rel="noreferrer">${locale.words.back.link}</a></p>`
}

import { html } from 'ghtml'
import { formatCentimes, oldPerNewOuguiya } from '../../schemas/currency.ts'
import {
  type FormMessages,
  inputField,
  renderErrorSummary,
  renderHiddenInput,
  titleOfForm,
} from '../http/pages/forms.ts'
import { isolateLtrText, renderFactList, renderLtr } from '../http/pages/text.ts'
import { type PriceWithFee, priceRows, sellerRows } from './layout.ts'
import type { Locale } from './locale.ts'
import {
  type CheckoutPageContent,
  type Offer,
  offerStartUrl,
  pollAttributes,
  remainingMs,
  returnUrl,
} from './offer.ts'

const fieldAttributes = {
  amount: 'inputmode="decimal" autocomplete="off" maxlength="40" required',
  // The length allows for spaces and dashes between the digits.
  code: 'inputmode="numeric" autocomplete="off" maxlength="20" required',
  phone: 'type="tel" autocomplete="tel" maxlength="40" required',
  pin: 'type="password" inputmode="numeric" autocomplete="off" maxlength="20" required',
}

export const renderFormField = (
  name: keyof typeof fieldAttributes,
  { label, hint }: { label: string; hint: string },
  value: string,
  { faults: { [name]: fault } = {} }: FormMessages,
): string => inputField(name, { label, hint, fault, value, attributes: `dir="ltr" ${fieldAttributes[name]}` })

const errorSummary = (locale: Locale, messages: FormMessages) =>
  renderErrorSummary(locale, messages, locale.words.notPaid)

/** With GET, the back button doesn't trigger a browser warning. */
export function renderAmountForm(offer: Offer, typed: string, fault: string | null): CheckoutPageContent {
  const { locale, intent } = offer
  const { words, code } = locale
  const messages = { faults: fault === null ? {} : { amount: fault } }
  const { title, button } = words.amount
  const body = html`!${errorSummary(locale, messages)}
<h1>${title}</h1>
!${renderFactList(sellerRows(locale, intent))}
<form action="${offer.path}" novalidate>
!${renderHiddenInput('lang', code)}
!${renderHiddenInput('proof', offer.proof)}
!${renderFormField('amount', words.typedAmount, typed, messages)}
<button>${button}</button>
</form>
!${foot(offer)}`
  return { title: titleOfForm(locale, title, messages), query: {}, body }
}

export interface PayForm extends PriceWithFee {
  token: string
  phone: string
  messages: FormMessages
}

export function renderPayForm(offer: Offer, { token, amount, fee, phone, messages }: PayForm) {
  const { locale, intent } = offer
  const { pay } = locale.words
  const isOpen = intent.amountType === 'OPEN'
  const money = locale.money(amount + fee)
  const query = isOpen ? { amount: formatCentimes(amount) } : {}
  const body = html`!${errorSummary(locale, messages)}
<h1>!${pay.title(renderLtr(money))}</h1>
<p class="faint">!${pay.inOuguiya(renderLtr(locale.amount(amount + fee)), renderLtr(locale.amount((amount + fee) * oldPerNewOuguiya)))}</p>
!${renderFactList([...sellerRows(locale, intent), ...(fee === 0 ? [] : priceRows(locale, { amount, fee }))])}
!${isOpen ? html`<p class="way"><a href="${offerStartUrl(offer)}">${pay.changeAmount}</a></p>` : ''}
<form method="post" action="${offerStartUrl(offer)}" data-busy="${pay.busy}" novalidate>
!${renderHiddenInput('form', token)}
!${renderHiddenInput('lang', locale.code)}
!${isOpen ? renderHiddenInput('amount', formatCentimes(amount)) : ''}
!${renderFormField('phone', { label: pay.phone, hint: pay.phoneHint }, phone, messages)}
!${renderFormField('pin', { label: pay.pin, hint: pay.pinHint }, '', messages)}
<button>!${pay.button(renderLtr(money))}</button>
</form>
!${foot(offer)}`
  const title = pay.title(isolateLtrText(locale, money))
  return { title: titleOfForm(locale, title, messages), query, body }
}

/** The link back to the merchant doesn't cancel the payment. */
function foot(offer: Offer) {
  const { intent, state, locale } = offer
  const back = returnUrl(intent, state)
  return html`!${renderTimeLeft(offer)}
!${back === null ? '' : html`<p class="way"><a href="${back}" rel="noreferrer">${locale.words.pay.leave}</a></p>`}`
}

/** The script updates the remaining time. */
export function renderTimeLeft(offer: Offer): string {
  const { intent, locale, now } = offer
  const { pay } = locale.words
  const isToday = locale.day(intent.expiresAt) === locale.day(now)
  const at = isToday ? locale.clock(intent.expiresAt) : locale.moment(intent.expiresAt)
  const time = html`<time datetime="${intent.expiresAt.toISOString()}">${at}</time>`
  const left = html`<span data-left>${locale.left(remainingMs(offer))}</span>`
  return html`<p class="faint" !${pollAttributes(offer)}>!${(isToday ? pay.expiresToday : pay.expires)(time, left)}</p>`
}

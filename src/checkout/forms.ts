import { html } from 'ghtml'
import { formatCentimes, oldPerNewOuguiya } from '../../schemas/currency.ts'
import {
  isolateLtrText,
  type PriceWithFee,
  priceRows,
  renderFactList,
  renderLtr,
  sellerRows,
} from './layout.ts'
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

type FieldName = keyof typeof fieldAttributes

/** Screen readers read the hint and the error message with the field. */
export function renderFormField(
  name: FieldName,
  { label, hint }: { label: string; hint: string },
  value: string,
  { faults: { [name]: fault } = {} }: FormMessages,
): string {
  return html`<div class="field !${fault === undefined ? '' : 'wrong'}">
<label for="${name}">${label}</label>
<p class="faint" id="${name}-hint">${hint}</p>
!${fault === undefined ? '' : html`<p class="fault" id="${name}-fault">${fault}</p>`}
<input id="${name}" name="${name}" value="${value}" dir="ltr" !${fieldAttributes[name]} aria-describedby="${name}-hint!${fault === undefined ? '"' : html` ${name}-fault" aria-invalid="true"`}>
</div>`
}

export interface FormMessages {
  notice?: string
  faults?: { [Name in FieldName]?: string }
}

export const hasFormMessages = ({ notice, faults = {} }: FormMessages): boolean =>
  notice !== undefined || Object.keys(faults).length > 0

/** The summary comes first, so screen readers announce it first. */
export function renderErrorSummary({ words }: Locale, messages: FormMessages): string {
  if (!hasFormMessages(messages)) return ''
  const { notice, faults = {} } = messages
  const items = Object.entries(faults).map(([name, fault]) => html`<li><a href="#${name}">${fault}</a></li>`)
  return html`<div class="said" role="alert" tabindex="-1" autofocus>
<h2>${notice === undefined ? words.problem : words.notPaid}</h2>
!${notice === undefined ? '' : html`<p>${notice}</p>`}
!${items.length === 0 ? '' : html`<ul>!${items}</ul>`}
</div>`
}

/** With GET, the back button doesn't trigger a browser warning. */
export function renderAmountForm(offer: Offer, typed: string, fault: string | null): CheckoutPageContent {
  const { locale, intent } = offer
  const { words, code } = locale
  const messages = { faults: fault === null ? {} : { amount: fault } }
  const { title, button } = words.amount
  const body = html`!${renderErrorSummary(locale, messages)}
<h1>${title}</h1>
!${renderFactList(sellerRows(locale, intent))}
<form action="${offer.path}" novalidate>
<input type="hidden" name="lang" value="${code}">
<input type="hidden" name="proof" value="${offer.proof}">
!${renderFormField('amount', words.amount, typed, messages)}
<button>${button}</button>
</form>
!${foot(offer)}`
  return { title: titled(offer, title, messages), query: {}, body }
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
  const body = html`!${renderErrorSummary(locale, messages)}
<h1>!${pay.title(renderLtr(money))}</h1>
<p class="faint">!${pay.inOuguiya(renderLtr(locale.amount(amount + fee)), renderLtr(locale.amount((amount + fee) * oldPerNewOuguiya)))}</p>
!${renderFactList([...sellerRows(locale, intent), ...(fee === 0 ? [] : priceRows(locale, { amount, fee }))])}
!${isOpen ? html`<p class="way"><a href="${offerStartUrl(offer)}">${pay.changeAmount}</a></p>` : ''}
<form method="post" action="${offerStartUrl(offer)}" data-busy="${pay.busy}" novalidate>
<input type="hidden" name="form" value="${token}">
<input type="hidden" name="lang" value="${locale.code}">
!${isOpen ? html`<input type="hidden" name="amount" value="${formatCentimes(amount)}">` : ''}
!${renderFormField('phone', { label: pay.phone, hint: pay.phoneHint }, phone, messages)}
!${renderFormField('pin', { label: pay.pin, hint: pay.pinHint }, '', messages)}
<button>!${pay.button(renderLtr(money))}</button>
</form>
!${foot(offer)}`
  const title = pay.title(isolateLtrText(locale, money))
  return { title: titled(offer, title, messages), query, body }
}

const titled = ({ locale: { words } }: Offer, title: string, messages: FormMessages) =>
  hasFormMessages(messages) ? words.wrong(title) : title

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

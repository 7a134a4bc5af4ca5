import { html } from 'ghtml'
import { decimal } from '../../schemas/currency.ts'
import { type FormMessages, field, hasMessages, summary } from './field.ts'
import { facts, ltr, ltrText, type Price, priceRows, sellerRows } from './layout.ts'
import { leftMs, type Offer, pollAttributes, type Sheet, startOfOffer } from './offer.ts'
import { returnUrl } from './state.ts'

/**
 * Returns the form for the first step of an OPEN payment, in which the customer enters the amount. `typed` is the
 * field's value and `fault` is its error message. The form uses GET, so that the back button works without a browser
 * warning.
 */
export function amountForm(offer: Offer, typed: string, fault: string | null): Sheet {
  const { locale, intent } = offer
  const { words, code } = locale
  const messages = { notice: null, faults: fault === null ? {} : { amount: fault } }
  const { title, label, hint, button } = words.amount
  const body = html`!${summary(locale, messages)}
<h1>${title}</h1>
!${facts(sellerRows(locale, intent))}
<form action="${offer.path}" novalidate>
<input type="hidden" name="lang" value="${code}">
<input type="hidden" name="proof" value="${offer.proof}">
!${field({
    name: 'amount',
    label,
    hint,
    value: typed,
    attributes: 'inputmode="decimal" autocomplete="off" maxlength="40" required',
    fault,
  })}
<button>${button}</button>
</form>
!${foot(offer)}`
  return { title: titled(offer, title, messages), query: {}, body }
}

/** The contents of the payment form. */
export interface PayForm extends Price {
  /** The token that identifies the form (proofs.ts). */
  token: string
  phone: string
  messages: FormMessages
}

/** Returns the payment form, which asks for the phone number and the PIN. */
export function payForm(offer: Offer, { token, amount, fee, phone, messages }: PayForm): Sheet {
  const { locale, intent } = offer
  const { pay } = locale.words
  const isOpen = intent.amountType === 'OPEN'
  const money = locale.money(amount + fee)
  const query = isOpen ? { amount: decimal(amount) } : {}
  const body = html`!${summary(locale, messages)}
<h1>!${pay.title(ltr(money))}</h1>
!${facts([...sellerRows(locale, intent), ...(fee === 0 ? [] : priceRows(locale, { amount, fee }))])}
!${isOpen ? html`<p class="way"><a href="${startOfOffer(offer)}">${pay.changeAmount}</a></p>` : ''}
<form method="post" action="${startOfOffer(offer)}" data-busy="${pay.busy}" novalidate>
<input type="hidden" name="form" value="${token}">
<input type="hidden" name="lang" value="${locale.code}">
!${isOpen ? html`<input type="hidden" name="amount" value="${decimal(amount)}">` : ''}
!${field({
    name: 'phone',
    label: pay.phone,
    hint: pay.phoneHint,
    value: phone,
    attributes: 'type="tel" autocomplete="tel" maxlength="40" required',
    fault: messages.faults.phone ?? null,
  })}
!${field({
    name: 'pin',
    label: pay.pin,
    hint: pay.pinHint,
    value: '',
    attributes: 'type="password" inputmode="numeric" autocomplete="off" maxlength="20" required',
    fault: messages.faults.pin ?? null,
  })}
<button>!${pay.button(ltr(money))}</button>
</form>
!${foot(offer)}`
  const title = pay.title(ltrText(locale, money))
  return { title: titled(offer, title, messages), query, body }
}

const titled = ({ locale: { words } }: Offer, title: string, messages: FormMessages): string =>
  hasMessages(messages) ? words.wrong(title) : title

/**
 * Returns the end of the page as HTML: the remaining time to pay, and a link back to the merchant. Following the link
 * does not cancel the payment.
 */
function foot(offer: Offer): string {
  const { intent, state, locale } = offer
  const back = returnUrl(intent, state)
  return html`!${deadline(offer)}
!${back === null ? '' : html`<p class="way"><a href="${back}" rel="noreferrer">${locale.words.pay.leave}</a></p>`}`
}

/** Returns the remaining time to pay as HTML. The script keeps it up to date. */
export function deadline(offer: Offer): string {
  const { intent, locale, now } = offer
  const { pay } = locale.words
  const isToday = locale.day(intent.expiresAt) === locale.day(now)
  const at = isToday ? locale.clock(intent.expiresAt) : locale.moment(intent.expiresAt)
  const time = html`<time datetime="${intent.expiresAt.toISOString()}">${at}</time>`
  const left = html`<span data-left>${locale.left(leftMs(offer))}</span>`
  return html`<p class="faint" !${pollAttributes(offer)}>!${(isToday ? pay.expiresToday : pay.expires)(time, left)}</p>`
}

import { html } from 'ghtml'
import { currencyCode } from '../../../schemas/currency.ts'
import type { SignedIn } from '../../staff/staff-sessions.ts'
import { csrfField } from '../pages/layout.ts'

/** The maximum length of a search text. A pasted payment link may have a long query. */
export const maxQueryLength = 1000
/** The longest text that the search field shows again. */
const maxShownLength = 200

/** The fields of the search by amount, as typed. */
export type AmountFields = Record<'business' | 'amount' | 'day', string>

const blank: AmountFields = { business: '', amount: '', day: '' }

/**
 * Returns the two search forms. Both use POST, so that no phone number or API key can end up in a URL, in the browser's
 * history or in the log of a proxy. `by` is the search by amount whose results the page shows.
 */
export const searchForms = (staff: SignedIn, query: string, by: AmountFields | null): string =>
  html`<form class="filter card" role="search" method="post" action="/admin/search">
      !${csrfField(staff)}
      <div class="whole">
        <label for="q">Payment, phone number, order, id or business</label>
        <input id="q" name="q" type="search" value="${query.slice(0, maxShownLength)}" maxlength="${maxQueryLength}" autocomplete="off" spellcheck="false" placeholder="PI-…" !${query === '' && by === null ? 'autofocus' : ''} aria-describedby="hint" />
      </div>
      <div class="act"><button class="main">Search</button></div>
      <p class="faint" id="hint">Enter the reference, merchant's reference, link, short code or 6-digit code of a payment, the phone number of its payer, its key in the wallet, an order number, a refund id, an API key or its last four characters, the id of a delivery, an endpoint, a key or a business, or part of the name of a business. Searches by phone number are recorded in the audit trail.</p>
    </form>
    !${amountForm(staff, by)}`

const amountForm = (staff: SignedIn, by: AmountFields | null): string => {
  const { business, amount, day } = by ?? blank
  return html`<details class="card" !${by === null ? '' : 'open'}>
    <summary>Search by business, amount and day</summary>
    <form class="filter" method="post" action="/admin/search/amount">
      !${csrfField(staff)}
      <div class="whole"><label for="business">Business</label><input id="business" name="business" value="${business}" maxlength="200" autocomplete="off" spellcheck="false" required placeholder="Id or part of the name" /></div>
      <div><label for="amount">Amount without fee (${currencyCode})</label><input id="amount" name="amount" value="${amount}" maxlength="30" inputmode="decimal" autocomplete="off" required placeholder="500.00" /></div>
      <div><label for="day">Day (UTC)</label><input id="day" name="day" type="date" value="${day}" required /></div>
      <div class="act"><button>Search</button></div>
      <p class="faint">Finds the payments that were created, paid or attempted on that day. Enter the merchant's amount. The total that left the customer's wallet may include a fee.</p>
    </form>
  </details>`
}

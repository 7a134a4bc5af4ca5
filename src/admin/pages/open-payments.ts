import { html } from 'ghtml'
import { maxOpen, maxUnpaid, type OpenPayment, type OpenPayments } from '../../intents/payments/list-open.ts'
import { environmentBadge } from './badges.ts'
import { time } from './layout.ts'
import { paymentPath } from './paths.ts'
import { money } from './words.ts'

/** Returns the section about a business's unpaid intents, and its payments and refunds without a known outcome. */
export const openPaymentsSection = ({ open, unpaid }: OpenPayments): string =>
  html`<h2>Open payments</h2>
    <p>Payment intents that customers can still pay: ${counted(unpaid.live)} live, ${counted(unpaid.sandbox)} in the sandbox.</p>
    !${open.length === 0 ? html`<p>The outcome of every payment and refund is known.</p>` : table(open)}`

const counted = (count: number): string => (count >= maxUnpaid ? `${maxUnpaid} or more` : String(count))

const table = (open: readonly OpenPayment[]): string =>
  html`<div class="scroll">
    <table class="cards tight">
      <caption>Payments and refunds whose outcome is not known yet${open.length >= maxOpen ? ` (there may be more than these ${open.length})` : ''}</caption>
      <thead><tr><th>Payment</th><th>Kind</th><th class="number">Amount without fee</th><th>Started</th></tr></thead>
      <tbody>!${open.map(row)}</tbody>
    </table>
  </div>`

const row = ({ kind, referenceNumber, sandbox, amount, startedAt }: OpenPayment): string =>
  html`<tr>
    <td data-label="Payment"><a class="id" href="${paymentPath(referenceNumber)}">${referenceNumber}</a> !${environmentBadge(sandbox)}</td>
    <td data-label="Kind">${kind}</td>
    <td data-label="Amount without fee" class="number">${money(amount)}</td>
    <td data-label="Started">!${time(startedAt)}</td>
  </tr>`

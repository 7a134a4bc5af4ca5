import { html } from 'ghtml'
import type { Business } from '../../businesses/business.ts'
import { maxBusinesses } from '../../businesses/look-up.ts'
import { type FoundIntent, maxFound } from '../../intents/search.ts'
import { environmentBadge } from '../pages/badges.ts'
import { time } from '../pages/layout.ts'
import { businessPath } from '../pages/paths.ts'
import { money, userText } from '../pages/words.ts'
import type { Hit } from './finders.ts'
import type { Group } from './run-finders.ts'

/** Returns the results of a search as HTML. `businesses` contains the businesses of the payments found. */
export const resultList = (groups: readonly Group[], businesses: readonly Business[]): string => {
  const names = new Map(businesses.map(({ _id, name }) => [_id, name]))
  return groups.map((group) => section(group, names)).join('')
}

const section = ({ kind, shown, hits }: Group, names: Map<string, string>): string => {
  const payments = hits.flatMap(({ path, intent }) => (intent === null ? [] : [{ path, intent }]))
  const pages = hits.filter(({ intent }) => intent === null)
  return html`<section>
    <p role="status"><b>${hits.length}</b> found by the ${kind} <b>!${userText(shown)}</b>.${cut(hits)}</p>
    !${payments.length === 0 ? '' : table(payments, names)}
    !${pages.length === 0 ? '' : html`<ul class="card">!${pages.map(({ path, name }) => html`<li><a href="${path}">!${userText(name)}</a> <span class="id faint">!${userText(path.replace(/^.*\/|\?.*$/g, ''))}</span></li>`)}</ul>`}
  </section>`
}

/** Returns a note if there may be more results than the page shows. */
function cut(hits: readonly Hit[]): string {
  const arePayments = hits.some(({ intent }) => intent !== null)
  if (arePayments && hits.length === maxFound) return ` Only the newest ${maxFound} are shown.`
  return !arePayments && hits.length === maxBusinesses
    ? ` Only the first ${maxBusinesses} are shown. Enter more of the name.`
    : ''
}

const table = (payments: readonly { path: string; intent: FoundIntent }[], names: Map<string, string>): string =>
  html`<div class="scroll">
    <table class="cards">
      <thead><tr><th>Payment</th><th>Business</th><th class="number">Amount without fee</th><th>State</th><th>Created</th></tr></thead>
      <tbody>!${payments.map(
        ({ path, intent }) => html`<tr>
          <td data-label="Payment"><a class="id" href="${path}">${intent.referenceNumber}</a> !${environmentBadge(intent.sandbox)}</td>
          <td data-label="Business" class="wide"><a href="${businessPath(intent.businessId)}">!${userText(names.get(intent.businessId) ?? intent.businessId)}</a></td>
          <td data-label="Amount without fee" class="number">${amountOf(intent)}</td>
          <td data-label="State">${stateOf(intent)}</td>
          <td data-label="Created">!${time(intent.createdAt)}</td>
        </tr>`,
      )}</tbody>
    </table>
  </div>`

/** Returns the amount of a payment. For an OPEN intent, this is the amount that the customer chose. */
function amountOf({ amountType, amount, payment, hold }: FoundIntent): string {
  const chosen = amountType === 'OPEN' ? (payment?.amountPaid ?? hold?.amount ?? null) : amount
  return chosen === null ? 'open' : money(chosen)
}

const stateOf = ({ status, hold, cancellationReason }: FoundIntent): string => {
  if (hold !== null) return `${status}, a payment is in progress`
  return cancellationReason === 'expired' ? `${status}, expired` : status
}

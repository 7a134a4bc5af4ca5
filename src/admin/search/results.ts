import { html } from 'ghtml'
import type { Business } from '../../businesses/business.ts'
import { maxBusinesses } from '../../businesses/list-businesses.ts'
import { type FoundIntent, maxFound } from '../../intents/search.ts'
import { environmentBadge } from '../pages/badges.ts'
import { time } from '../pages/layout.ts'
import { businessLink, idLink, userLink } from '../pages/paths.ts'
import { type Column, table } from '../pages/table.ts'
import { money, userText } from '../pages/words.ts'
import type { Hit } from './finders.ts'
import type { Group } from './run-finders.ts'

/** Returns the results of a search as HTML. `businesses` contains the businesses of the payments found. */
export const resultList = (groups: readonly Group[], businesses: readonly Business[]): string => {
  const columns = columnsFor(new Map(businesses.map(({ _id, name }) => [_id, name])))
  return groups.map((group) => section(group, columns)).join('')
}

const section = ({ kind, shown, hits }: Group, columns: readonly Column<FoundPayment>[]): string => {
  const payments = hits.flatMap(({ path, intent }) => (intent === null ? [] : [{ path, intent }]))
  const pages = hits.filter(({ intent }) => intent === null)
  return html`<section>
    <p role="status"><b>${hits.length}</b> found by the ${kind} <b>!${userText(shown)}</b>.${cut(hits)}</p>
    !${payments.length === 0 ? '' : table(columns, payments)}
    !${pages.length === 0 ? '' : html`<ul class="card">!${pages.map(({ path, name }) => html`<li>!${userLink(path, name)} <span class="id faint">!${userText(path.replace(/^.*\/|\?.*$/g, ''))}</span></li>`)}</ul>`}
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

type FoundPayment = Pick<Hit, 'path'> & { intent: FoundIntent }

const columnsFor = (names: ReadonlyMap<string, string>): Column<FoundPayment>[] => [
  {
    title: 'Payment',
    html: ({ path, intent }) => html`!${idLink(path, intent.referenceNumber)} !${environmentBadge(intent.sandbox)}`,
  },
  {
    title: 'Business',
    classes: 'wide',
    html: ({ intent: { businessId } }) => businessLink(businessId, names.get(businessId)),
  },
  { title: 'Amount without fee', classes: 'number', text: ({ intent }) => amountOf(intent) },
  { title: 'State', text: ({ intent }) => stateOf(intent) },
  { title: 'Created', html: ({ intent }) => time(intent.createdAt) },
]

/** Returns the amount of a payment. For an OPEN intent, this is the amount that the customer chose. */
function amountOf({ amountType, amount, payment, hold }: FoundIntent): string {
  const chosen = amountType === 'OPEN' ? (payment?.amountPaid ?? hold?.amount ?? null) : amount
  return chosen === null ? 'open' : money(chosen)
}

const stateOf = ({ status, hold, cancellationReason }: FoundIntent): string => {
  if (hold !== null) return `${status}, a payment is in progress`
  return cancellationReason === 'expired' ? `${status}, expired` : status
}

import type { Request, Response } from 'express'
import { html } from 'ghtml'
import { currencyCode } from '../../../schemas/currency.ts'
import type { Business } from '../../businesses/business.ts'
import {
  findBusinessesByName,
  lookUpBusiness,
  lookUpBusinesses,
  maxNameMatches,
} from '../../businesses/list-businesses.ts'
import { readFormFields } from '../../http/body/read-form.ts'
import { sendRedirect } from '../../http/pages/send-page.ts'
import { isolateText } from '../../http/pages/text.ts'
import { parseTypedAmount } from '../../input/amount.ts'
import { readInstant } from '../../input/instant.ts'
import { normaliseName } from '../../input/name.ts'
import { type FoundIntent, maxFoundIntents, searchByAmount } from '../../intents/search.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuse } from '../../platform/errors.ts'
import { isId } from '../../platform/ids.ts'
import { dayMs, toUtcDay } from '../../platform/time.ts'
import type { SignedInStaff } from '../../staff/account.ts'
import { type PageField, paymentDisplay } from '../../staff-acts/shown.ts'
import { countBacklog, deadVisibleMs } from '../../webhooks/deliveries/backlog.ts'
import { formatCappedCount, formatMoney } from '../format.ts'
import { type StaffPage, staffAsActor } from '../guards.ts'
import { csrfField, currentStaff, sendNoticePage, sendStaffPage } from '../layout.ts'
import { textLink } from '../paths.ts'
import { businessField, paymentField, renderTable } from '../table.ts'
import {
  findSearchHits,
  minNamePartLength,
  type SearchHit,
  type SearchResultGroup,
  toPaymentHits,
} from './finders.ts'

export const searchPage: StaffPage<'Delivery' | 'now'> = async (deps, { staff }) => {
  const { due, waiting, dead } = await countBacklog(deps)
  const body = html`<h1>Search</h1>
    !${searchForms(staff, '', null)}
    <h2>Webhooks now</h2>
    <dl class="facts card">
      <dt>Due now</dt><dd>${formatCappedCount(due)}</dd>
      <dt>Waiting for the next attempt</dt><dd>${formatCappedCount(waiting)}</dd>
      <dt>Dead in the last ${deadVisibleMs / dayMs} days</dt><dd>${formatCappedCount(dead)} <a href="/admin/dead">by business and endpoint</a></dd>
    </dl>`
  return { title: 'Search', current: '/admin', body }
}

/** Viewers may search by phone number, because such searches are audited. */
export async function searchByText(deps: Deps, req: Request, res: Response): Promise<void> {
  const { q } = readFormFields(req, 'q')
  const query = (normaliseName('name', q) ?? q.trim()).slice(0, maxQueryLength)
  if (query === '') return sendRedirect(res, '/admin')
  const results = await findSearchHits(deps, query, staffAsActor(req, res, null))
  if ('waitMs' in results) {
    const minutes = Math.ceil(results.waitMs / 60_000)
    const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
    const sentence = `You have searched by phone number too often. Wait ${wait}, or search for something else.`
    return sendNoticePage(res, 429, 'Too many searches', sentence)
  }
  const { groups, isPrivate, whyNoHit } = results
  await sendResults(deps, res, groups, { query: isPrivate ? '' : query, by: null, whyNoHit })
}

export async function searchByAmountAndDay(
  deps: Pick<Deps, 'Business' | 'Intent' | 'now'>,
  req: Request,
  res: Response,
): Promise<void> {
  const by = readFormFields(req, 'business', 'amount', 'day')
  const group = await findByAmount(deps, by)
  await sendResults(deps, res, group.hits.length === 0 ? [] : [group], { query: '', by, whyNoHit: null })
}

async function sendResults(
  deps: Pick<Deps, 'Business'>,
  res: Response,
  groups: SearchResultGroup[],
  { query, by, whyNoHit }: { query: string; by: AmountFields | null; whyNoHit: string | null },
) {
  const hits = groups.flatMap((group) => group.hits)
  const [only, ...others] = hits
  if (only !== undefined && others.length === 0) return sendRedirect(res, only.path)
  const ids = hits.flatMap(({ intent }) => (intent === null ? [] : [intent.businessId]))
  const businesses = await lookUpBusinesses(deps, [...new Set(ids)])
  const ofId = new Map(businesses.map((business) => [business._id, business]))
  const body = html`<h1>Search</h1>
    !${searchForms(currentStaff(res), query, by)}
    !${hits.length === 0 ? nothing(query, whyNoHit) : groups.map((group) => section(group, ofId))}`
  sendStaffPage(res, { title: 'Search', current: '/admin', body })
}

const nothing = (query: string, whyNoHit: string | null) =>
  html`<p class="notice" role="status">Nothing was found!${query === '' ? '' : html` for <b>!${isolateText(query)}</b>`}. ${whyNoHit ?? searchHint}</p>`

const searchHint = `Enter a complete reference, code, phone number or id, or at least ${minNamePartLength} characters of a business's name. A payment code can be found for three days after its last use. Old test data is deleted.`

const section = ({ kind, shown, hits }: SearchResultGroup, businesses: ReadonlyMap<string, Business>) => {
  const payments = hits.flatMap(({ intent }) =>
    intent === null ? [] : [{ ...intent, business: businesses.get(intent.businessId) ?? null }],
  )
  const pages = hits.filter(({ intent }) => intent === null)
  return html`<section>
    <p role="status"><b>${hits.length}</b> ${hits.length === 1 ? 'result' : 'results'} for the ${kind} <b>!${isolateText(shown)}</b>.${cut(hits)}</p>
    !${payments.length === 0 ? '' : renderTable(paymentColumns, payments)}
    !${pages.length === 0 ? '' : html`<ul class="card">!${pages.map(({ path, name }) => html`<li>!${textLink(path, name)} <span class="id faint">!${isolateText(path.replace(/^.*\/|\?.*$/g, ''))}</span></li>`)}</ul>`}
  </section>`
}

function cut(hits: readonly SearchHit[]) {
  const arePayments = hits.some(({ intent }) => intent !== null)
  if (arePayments && hits.length === maxFoundIntents) return ` Only the newest ${maxFoundIntents} are shown.`
  return !arePayments && hits.length === maxNameMatches
    ? ` Only the first ${maxNameMatches} are shown. Enter more of the name.`
    : ''
}

const paymentColumns: PageField<FoundIntent & { business: Business | null }>[] = [
  paymentField,
  businessField,
  { label: 'Amount without fee', unit: 'money', value: amountOf },
  { ...paymentDisplay.status, value: stateOf },
  paymentDisplay.createdAt,
]

/** For an OPEN intent, returns the amount that the customer chose. */
function amountOf({ amountType, amount, payment, hold }: FoundIntent): number | string {
  const chosen = amountType === 'OPEN' ? (payment?.amountPaid ?? hold?.amount) : amount
  return chosen ?? 'open'
}

function stateOf({ status, hold, cancellationReason }: FoundIntent) {
  if (hold !== null) return `${status}, a payment is in progress`
  return cancellationReason === 'expired' ? `${status}, expired` : status
}

/** If several businesses match the name, searches all of them. */
async function findByAmount(
  deps: Pick<Deps, 'Business' | 'Intent' | 'now'>,
  fields: AmountFields,
): Promise<SearchResultGroup> {
  const business = normaliseName('name', fields.business) ?? ''
  if (business.length < minNamePartLength)
    throw invalid('business', `at least ${minNamePartLength} characters of the name of a business, or its id`)
  const amount = parseTypedAmount(fields.amount)
  if (typeof amount !== 'number') throw invalid('amount', 'an amount such as 500 or 500.00')
  const day = fields.day.length === 'YYYY-MM-DD'.length ? readInstant(fields.day, 'start') : null
  if (day === null) throw invalid('day', 'a date such as 2026-01-31')
  const businesses = await businessesFor(deps, business)
  const ids = businesses.map(({ _id }) => _id)
  const intents = ids.length === 0 ? [] : await searchByAmount(deps, ids, amount, day)
  return {
    kind: `amount ${formatMoney(amount)} on ${toUtcDay(day)} and the business`,
    shown: business,
    hits: toPaymentHits(intents),
  }
}

const invalid = (param: keyof AmountFields, expected: string) =>
  refuse('VALIDATION_ERROR', { param, message: `${param} must be ${expected}. Go back and correct it.` })

async function businessesFor(deps: Pick<Deps, 'Business'>, text: string) {
  const id = text.toLowerCase()
  const one = isId(id) ? await lookUpBusiness(deps, id) : null
  return one === null ? findBusinessesByName(deps, text) : [one]
}

/** A pasted payment link may have a long query. */
const maxQueryLength = 1000
const maxShownLength = 200

type AmountFields = Record<'business' | 'amount' | 'day', string>

/** With GET, phone numbers and API keys would end up in logs and histories. */
const searchForms = (staff: SignedInStaff, query: string, by: AmountFields | null) =>
  html`<form class="filter card" role="search" method="post" action="/admin/search">
      !${csrfField(staff)}
      <div class="whole">
        <label for="q">Payment, phone number, order, id or business</label>
        <input id="q" name="q" type="search" value="${query.slice(0, maxShownLength)}" maxlength="${maxQueryLength}" autocomplete="off" spellcheck="false" placeholder="PI-…" !${query === '' && by === null ? 'autofocus' : ''} aria-describedby="hint" />
      </div>
      <div class="act"><button class="main">Search</button></div>
      <p class="faint" id="hint">Enter a payment's reference, merchant's reference, link, short code, 6-digit code, payer's phone number or key in the wallet, an order number, a refund id, an API key or its last four characters, a delivery id, endpoint id, key id or business id, or part of a business's name. Searches by phone number are recorded in the audit trail.</p>
    </form>
    !${amountForm(staff, by)}`

const amountForm = (staff: SignedInStaff, by: AmountFields | null) => {
  const { business = '', amount = '', day = '' } = by ?? {}
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

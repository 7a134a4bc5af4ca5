import { html } from 'ghtml'
import { type Business, type DatedRates, ratesAt } from '../businesses/business.ts'
import { listKeys } from '../businesses/key-facts.ts'
import {
  type BusinessFilter,
  type ListedBusiness,
  listBusinesses,
  lookUpBusiness,
} from '../businesses/list-businesses.ts'
import { inputField } from '../http/pages/forms.ts'
import { pagingLinks } from '../http/pages/table.ts'
import { isolateText } from '../http/pages/text.ts'
import { normaliseName } from '../input/name.ts'
import * as intents from '../intents/search.ts'
import { listEntries } from '../ledger/list.ts'
import { getLedgerBalance } from '../ledger/statement.ts'
import type { Deps } from '../platform/deps.ts'
import { businessActions } from '../staff-acts/business-acts.ts'
import { dailyQuotas, type QuotaUsage, readQuotaUsage } from '../staff-acts/business-facts.ts'
import { businessDisplay, listedBusinessDisplay, type PageField } from '../staff-acts/shown.ts'
import { countDeadDeliveries } from '../webhooks/deliveries/backlog.ts'
import { listAllEndpoints, listFailedDeliveries } from '../webhooks/deliveries/look-up.ts'
import { linkActions, renderDoneNotice } from './act-routes.ts'
import { activityCharts, isSandboxShown } from './activity.ts'
import * as format from './format.ts'
import type { PageVisit, StaffPage } from './guards.ts'
import { keysTable } from './key.ts'
import { auditPath, businessLink, personPath, readQueryText, withQuery } from './paths.ts'
import { paymentField, renderFacts, renderTable } from './table.ts'
import { deliveriesTable, endpointColumns } from './webhooks.ts'

const maxKeys = 100
const maxPayouts = 5

/** Reads one section at a time, because a page gets few connections. */
export const businessPage: StaffPage<
  keyof (FactsDeps & EndpointDeps) | 'ApiKey' | 'Business' | 'LedgerEntry' | 'batchers'
> = async (deps, { id, query, staff }) => {
  const business = await lookUpBusiness(deps, id)
  if (business === null) return null
  const body = html`<h1>!${isolateText(business.name)} !${businessBadges(business)}</h1>
    !${renderDoneNotice(businessActions, business, query)}
    !${await facts(deps, business)}
    !${linkActions(businessActions, id, business, staff)}
    !${await balances(deps, id)}
    <h2>Keys</h2>
    !${keysTable(await listKeys(deps, { businessId: id }, { limit: maxKeys, after: null }))}
    !${openPayments(await intents.findOpenPayments(deps, id))}
    !${await endpoints(deps, id)}
    !${await failingDeliveries(deps, id)}
    !${await activityCharts(deps, { businessId: id, sandbox: isSandboxShown(query) })}`
  return { title: business.name, body }
}

type FactsDeps = Pick<Deps, 'Counter' | 'Intent' | 'Shop' | 'config' | 'now'>

async function facts(deps: FactsDeps, business: Business) {
  const { _id: id } = business
  const usages = await readQuotaUsage(deps, business)
  const shops = await deps.Shop.find({ businessId: id }).sort({ sandbox: 1 }).lean()
  const shopNames = shops.map(
    ({ name, sandbox }) => html`<div>!${isolateText(name)} (${sandbox ? 'sandbox' : 'live'})</div>`,
  )
  return html`<dl class="facts card">
    !${renderFacts(business, [businessDisplay.liveMode, businessDisplay.api, businessDisplay.paymentPages])}
    <dt>Rate</dt><dd>${rateInWords(deps, business.limits)}${ofItsOwn(business.limits.perSecond)}</dd>
    !${quotaFact('Live payment codes', usages.liveCodes, business.limits.liveCodes)}
    !${dailyQuotas.map(([usage, , limit, label]) => quotaFact(label, usages[usage], business.limits[limit]))}
    !${commissionFacts(deps, business.commission)}
    !${liveRequestFact(business)}
    <dt>Shop</dt><dd>!${shopNames.length === 0 ? 'none' : shopNames}</dd>
    !${renderFacts(business, [businessDisplay.createdAt])}
    <dt>Id</dt><dd class="id">${id}</dd>
    <dt>People</dt><dd><a href="${withQuery('/admin/people', { business: id })}">show</a>, <a href="${withQuery('/admin/people/invite', { business: id })}">invite</a></dd>
    <dt>Audit trail</dt><dd><a href="${auditPath({ business: id })}">show the entries for this business</a></dd>
  </dl>`
}

const liveRequestFact = ({ liveRequest }: Business) =>
  liveRequest === undefined
    ? ''
    : html`<dt>Live access</dt><dd>requested !${format.renderTime(liveRequest.at)} by <a href="${personPath(liveRequest.personId)}">an owner</a></dd>`

const quotaFact = (label: string, usage: QuotaUsage, own: number | null) =>
  html`<dt>${label}</dt><dd>${left(usage)}${ofItsOwn(own)}</dd>`

function rateInWords({ config }: Pick<Deps, 'config'>, limits: Business['limits']) {
  const perSecond = config.rateLimitPerSecond && (limits.perSecond ?? config.rateLimitPerSecond)
  return perSecond === null ? 'no limit' : `${format.groupDigits(perSecond)} requests per second for each key`
}

function left({ used, limit, left: rest }: QuotaUsage) {
  if (limit === null) return 'no limit'
  const known = used === null ? 'more than can be counted' : format.groupDigits(used)
  return `${known} of ${format.groupDigits(limit)} used${rest === null ? '' : `, ${format.groupDigits(rest)} left`}`
}

const ofItsOwn = (limit: number | null) => (limit === null ? '' : ' (set for this business)')

function commissionFacts({ config, now }: Pick<Deps, 'config' | 'now'>, commission: Business['commission']) {
  const at = now()
  const current = inWords(ratesAt(commission, config.commissionRates, at))
  const origin = commission.some(({ from }) => from <= at) ? 'set for this business' : 'default'
  const history = commission
    .toReversed()
    .map(
      ({ from, ...rates }) =>
        html`<div>from !${format.renderTime(from)}: ${inWords(rates)}${from > at ? ' (scheduled)' : ''}</div>`,
    )
  return html`<dt>Commission</dt><dd>${current} (${origin})</dd>
    !${history.length === 0 ? '' : html`<dt>Commission history</dt><dd>!${history}</dd>`}`
}

const inWords = ({ provider, payer }: Pick<DatedRates, 'provider' | 'payer'>) =>
  `merchant ${percent(provider)}, customer ${percent(payer)}`

const percent = (basisPoints: number) => `${basisPoints / 100} %`

async function balances(deps: Pick<Deps, 'LedgerEntry'>, businessId: string) {
  const rows: string[] = []
  for (const sandbox of [false, true]) {
    const name = sandbox ? 'Sandbox' : 'Live'
    const owner = { businessId, sandbox }
    const amount = await getLedgerBalance(deps, owner)
    const search = { type: 'payout', page: 1, limit: maxPayouts, from: null, to: null } as const
    const { items, total } = await listEntries(deps, owner, search)
    const payouts = items.map(
      ({ amount: paid, payoutReference, bookedAt }) =>
        html`<div>!${format.renderTime(bookedAt)}: ${format.formatMoney(-paid)}, reference !${isolateText(payoutReference ?? '')}</div>`,
    )
    rows.push(html`<dt>${name} balance</dt><dd>${format.formatMoney(amount)}</dd>
      <dt>${name} payouts</dt>
      <dd>!${total > maxPayouts ? html`<div>The latest ${maxPayouts} of ${total}:</div>` : ''}!${total === 0 ? 'none' : payouts}</dd>`)
  }
  return html`<h2>Balance</h2><dl class="facts card">!${rows}</dl>`
}

function openPayments({ open, unpaid }: intents.OpenPayments) {
  const more = open.length >= intents.maxOpenPayments ? ` (there may be more than these ${open.length})` : ''
  const caption = `Payments and refunds whose outcome is not known yet${more}`
  const none = html`<p>The outcome of every payment and refund is known.</p>`
  return html`<h2>Open payments</h2>
    <p>Payment intents that customers can still pay: ${counted(unpaid.live)} live, ${counted(unpaid.sandbox)} in the sandbox.</p>
    !${open.length === 0 ? none : renderTable(openColumns, open, { caption, isTight: true })}`
}

const counted = (count: number) =>
  count >= intents.maxUnpaidCount ? `${intents.maxUnpaidCount} or more` : String(count)

const openColumns: PageField<intents.OpenPayment>[] = [
  paymentField,
  { label: 'Kind', value: ({ kind }) => kind },
  { label: 'Amount without fee', unit: 'money', value: ({ amount }) => amount },
  { label: 'Started', value: ({ startedAt }) => startedAt },
]

type EndpointDeps = Pick<Deps, 'Delivery' | 'Endpoint' | 'secrets'>

async function endpoints(deps: EndpointDeps, id: string) {
  const found = await listAllEndpoints(deps, id)
  const none = html`<p>This business has no webhook endpoint, so it receives no events.</p>`
  return html`<h2>Endpoints</h2>!${found.length === 0 ? none : renderTable(endpointColumns, found)}`
}

async function failingDeliveries(deps: EndpointDeps, id: string) {
  const [failing, dead] = await Promise.all([listFailedDeliveries(deps, id), countDeadDeliveries(deps, id)])
  const title = 'Latest deliveries that are dead or waiting for a retry'
  const none = html`<p>None. No delivery is dead or waiting for a retry.</p>`
  return html`<h2>Failing deliveries</h2>
    !${dead === 0 ? '' : html`<p>Dead: ${format.formatCappedCount(dead)}. <a href="/admin/dead">Re-queue them by endpoint</a></p>`}
    !${failing.length === 0 ? none : deliveriesTable(title, failing)}`
}

/** No business has a longer name. */
const maxPartLength = 200
const pageSize = 50
const path = '/admin/businesses'

const states = {
  live: { label: 'approved for live mode', where: { liveApproved: true } },
  'test-only': { label: 'not approved for live mode', where: { liveApproved: false } },
  requested: { label: 'live access requested', where: { isLiveRequested: true } },
  suspended: { label: 'suspended', where: { suspended: true } },
  disabled: { label: 'developer API disabled', where: { apiEnabled: false } },
} as const satisfies Record<string, { label: string; where: BusinessFilter }>

const stateNames = {
  '': 'any',
  ...Object.fromEntries(Object.entries(states).map(([value, { label }]) => [value, label])),
}

export const businessListPage: StaffPage<'ApiKey' | 'Business'> = async (deps, { query }) => {
  const filter = readFilter(query)
  const { name, state, after } = filter
  const where = { ...format.lookUpEntry(states, state)?.where, ...(name === '' ? {} : { name }) }
  const slice = { limit: pageSize, after: after === '' ? null : after }
  const { items, next } = await listBusinesses(deps, where, slice)
  const body = html`<h1>Businesses</h1>
    !${form(filter)}
    !${items.length === 0 ? html`<p class="notice" role="status">No business matches this filter.</p>` : renderTable(columns, items, { isTight: true })}
    !${pagingLinks((id) => withQuery(path, { ...filter, after: id }), after === '', next, ['First page', 'Next page'])}`
  return { title: 'Businesses', current: path, body }
}

/** Missing, repeated or unknown parameters don't restrict the list. */
function readFilter(query: PageVisit['query']) {
  const text = (name: string) =>
    (normaliseName('name', readQueryText(query, name)) ?? '').slice(0, maxPartLength)
  const state = text('state')
  return { name: text('name'), state: Object.hasOwn(states, state) ? state : '', after: text('after') }
}

const form = ({ name, state }: ReturnType<typeof readFilter>) =>
  html`<form class="filter card" action="${path}">
    !${inputField('name', { label: 'Part of the name', value: name, attributes: `type="search" maxlength="${maxPartLength}" autocomplete="off"` })}
    !${inputField('state', { label: 'State', value: state, choices: stateNames })}
    <div class="act"><button>Filter</button> <a class="button" href="${path}">Clear</a></div>
  </form>`

const columns: PageField<ListedBusiness>[] = [
  { ...businessDisplay.name, html: ({ id, name }) => businessLink(id, name) },
  { label: 'State', html: businessBadges },
  listedBusinessDisplay.activeKeys,
  listedBusinessDisplay.lastUsedDay,
  businessDisplay.createdAt,
  listedBusinessDisplay.id,
]

type Badged = Pick<Business, 'suspended' | 'apiEnabled' | 'liveApproved' | 'liveRequest'>

function businessBadges({ suspended, apiEnabled, liveApproved, liveRequest }: Badged) {
  return [
    ...(suspended ? [format.renderBadge('bad', 'suspended')] : []),
    ...(apiEnabled ? [] : [format.renderBadge('wait', 'developer API disabled')]),
    liveApproved ? format.renderBadge('live', 'live') : format.renderBadge('faint', 'test only'),
    ...(liveRequest === undefined ? [] : [format.renderBadge('wait', 'live access requested')]),
  ].join(' ')
}

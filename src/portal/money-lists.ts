import type { Router } from 'express'
import { html } from 'ghtml'
import { readFor } from '../http/operations/run-for.ts'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import type { Page } from '../lists/pagination.ts'
import { errorSummaryOf, type PersonPage } from '../people-pages/frame.ts'
import { serveVisit } from '../people-pages/serve.ts'
import type { Visit } from '../people-pages/visit.ts'
import { type FilterFields, readFiltered, renderFilter } from './money-filter.ts'
import {
  type MoneyLocale,
  moneyColumn,
  moneyLocaleOf,
  nameIn,
  renderMoment,
  renderPaging,
  renderReference,
  textColumn,
} from './money-locale.ts'

export function addMoneyLists(router: Router): void {
  router.get('/money/entries', serveVisit('read-money', showEntries))
  router.get('/money/refunds', serveVisit('read-money', showRefunds))
}

const links = {
  balance: '/money',
  entries: '/money/entries',
  payouts: '/money/entries?type=payout',
  refunds: '/money/refunds',
} as const

export function renderMoneyLinks({ base, res }: Visit, current: keyof typeof links): string {
  const { books, payments } = moneyLocaleOf(res).words
  const items = Object.entries(links).map(([name, path]) => {
    const text = books.links[name as keyof typeof links]
    return html`<li><a href="${base + path}" !${name === current ? 'aria-current="page"' : ''}>${text}</a></li>`
  })
  return html`<ul class="links">!${items}<li><a href="${base}/payments/export">${payments.export}</a></li></ul>`
}

interface Listed {
  title: string
  link: keyof typeof links
  none: string
}

/** A list with a filter, e.g. of refunds. */
async function renderList<Item>(
  visit: Visit,
  operation: 'listBalanceEntries' | 'listRefunds',
  fields: FilterFields,
  columns: readonly TableColumn<Item>[],
  look: (typed: Record<string, string>) => Listed,
): Promise<PersonPage> {
  const { deps, res, caller, base } = visit
  const locale = moneyLocaleOf(res)
  const filtered = await readFiltered(visit, fields, async (query) => {
    return (await readFor<Page<Item>>(deps, res, caller, operation, { query })).data
  })
  const { data, typed, faults, status } = filtered
  const { title, link, none } = look(typed)
  const path = base + (links[link].split('?')[0] ?? '')
  const table =
    data === null || data.items.length === 0
      ? html`<p class="card">${none}</p>`
      : renderTable(columns, data.items, { label: title })
  const body = html`!${errorSummaryOf(res, { faults }, locale.words.problem)}<h1>${title}</h1>
!${renderMoneyLinks(visit, link)}
!${renderFilter(locale, path, fields, filtered)}
!${data === null ? '' : table + renderPaging(visit, path, typed, data)}`
  return { status, title, body, current: `${base}/money` }
}

const spanFields = ({ words }: MoneyLocale): FilterFields => ({
  from: [words.filter.from, 'date'],
  to: [words.filter.to, 'date'],
})

interface Entry {
  type: string
  amount: number
  balance: number
  referenceNumber: string | null
  merchantReference: string | null
  payoutReference: string | null
  bookedAt: string
}

function showEntries(visit: Visit): Promise<PersonPage> {
  const locale = moneyLocaleOf(visit.res)
  const { books, filter } = locale.words
  const { entries } = books
  const fields: FilterFields = {
    type: [entries.type, { '': filter.any, ...entries.types }],
    ...spanFields(locale),
  }
  const columns: TableColumn<Entry>[] = [
    { label: entries.at, html: ({ bookedAt }) => renderMoment(locale, bookedAt) },
    textColumn(entries.type, ({ type }) => nameIn(entries.types, type)),
    moneyColumn(locale, entries.amount, ({ amount }) => amount),
    moneyColumn(locale, entries.balance, ({ balance }) => balance),
    { label: entries.payment, html: ({ referenceNumber }) => renderReference(visit, referenceNumber) },
    textColumn(entries.reference, ({ merchantReference }) => merchantReference),
    textColumn(entries.payout, ({ payoutReference }) => payoutReference),
  ]
  return renderList(visit, 'listBalanceEntries', fields, columns, ({ type }) =>
    type === 'payout'
      ? { title: books.links.payouts, link: 'payouts', none: entries.noPayouts }
      : { title: entries.title, link: 'entries', none: entries.none },
  )
}

interface ListedRefund {
  referenceNumber: string
  merchantReference: string | null
  amount: number
  reason: string | null
  returnedFees: { providerTtc: number }
  refundedAt: string
}

function showRefunds(visit: Visit): Promise<PersonPage> {
  const locale = moneyLocaleOf(visit.res)
  const { books, payments } = locale.words
  const { refundList, entries } = books
  const { refunds } = payments
  const columns: TableColumn<ListedRefund>[] = [
    { label: refundList.at, html: ({ refundedAt }) => renderMoment(locale, refundedAt) },
    moneyColumn(locale, refunds.amount, ({ amount }) => amount),
    textColumn(refunds.reason, ({ reason }) => reason),
    { label: entries.payment, html: ({ referenceNumber }) => renderReference(visit, referenceNumber) },
    textColumn(entries.reference, ({ merchantReference }) => merchantReference),
    moneyColumn(locale, refunds.returned, ({ returnedFees }) => returnedFees.providerTtc),
  ]
  return renderList(visit, 'listRefunds', spanFields(locale), columns, () => ({
    title: refundList.title,
    link: 'refunds',
    none: refundList.none,
  }))
}

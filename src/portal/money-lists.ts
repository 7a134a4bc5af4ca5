import type { Router } from 'express'
import { html } from 'ghtml'
import { renderTime } from '../http/pages/text.ts'
import type { Shown } from '../http/routes/routes.ts'
import type { PersonPage } from '../people-pages/frame.ts'
import { serveVisit } from '../people-pages/serve.ts'
import { readShown, type Visit } from '../people-pages/visit.ts'
import { type FilterFields, readQueryText, renderListPage } from './money-filter.ts'
import * as money from './money-locale.ts'

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
  const { books, payments } = money.moneyLocaleOf(res).words
  const items = (Object.keys(links) as (keyof typeof links)[]).map(
    (name) =>
      html`<li><a href="${base + links[name]}" !${name === current ? 'aria-current="page"' : ''}>${books.links[name]}</a></li>`,
  )
  return html`<ul class="links">!${items}<li><a href="${base}/payments/export">${payments.export}</a></li></ul>`
}

const spanFields = ({ words: { filter } }: money.MoneyLocale): FilterFields => ({
  from: [filter.from, 'date'],
  to: [filter.to, 'date'],
})

type Entry = Shown<'listBalanceEntries'>['items'][number]

function showEntries(visit: Visit): Promise<PersonPage> {
  const locale = money.moneyLocaleOf(visit.res)
  const { books, filter } = locale.words
  const { entries } = books
  const link = readQueryText(visit, 'type') === 'payout' ? 'payouts' : 'entries'
  const types = { '': filter.any, ...entries.types }
  return renderListPage<Entry>(visit, {
    read: (query) => readShown(visit, 'listBalanceEntries', { query }),
    title: books.links[link],
    path: visit.base + links.entries,
    current: visit.base + links.balance,
    fields: { type: [entries.type, types], ...spanFields(locale) },
    columns: [
      [entries.at, ({ bookedAt }) => renderTime(locale, bookedAt)],
      [entries.type, ({ type }) => money.renderName(entries.types, type)],
      money.moneyColumn(locale, entries.amount, ({ amount }) => amount),
      money.moneyColumn(locale, entries.balance, ({ balance }) => balance),
      [entries.payment, ({ referenceNumber }) => money.renderReference(visit, referenceNumber)],
      money.textColumn(entries.reference, (entry) => entry.merchantReference ?? entry.payoutReference),
    ],
    intro: renderMoneyLinks(visit, link),
    none: () => html`${link === 'payouts' ? entries.noPayouts : entries.none}`,
  })
}

type ListedRefund = Shown<'listRefunds'>['items'][number]

function showRefunds(visit: Visit): Promise<PersonPage> {
  const locale = money.moneyLocaleOf(visit.res)
  const { books, payments } = locale.words
  const { refunds } = payments
  return renderListPage<ListedRefund>(visit, {
    read: (query) => readShown(visit, 'listRefunds', { query }),
    title: books.links.refunds,
    path: visit.base + links.refunds,
    current: visit.base + links.balance,
    fields: spanFields(locale),
    columns: [
      [refunds.at, (each) => renderTime(locale, each.refundedAt ?? each.bookedAt)],
      money.moneyColumn(locale, refunds.amount, ({ amount }) => amount),
      money.textColumn(refunds.reason, ({ reason }) => reason),
      [books.entries.payment, (each) => money.renderReference(visit, each.referenceNumber)],
      money.textColumn(payments.facts.merchantReference, ({ merchantReference }) => merchantReference),
      money.moneyColumn(locale, refunds.returned, ({ returnedFees }) => returnedFees?.providerTtc ?? 0),
    ],
    intro: renderMoneyLinks(visit, 'refunds'),
    none: () => html`${books.noRefunds}`,
  })
}

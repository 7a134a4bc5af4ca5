import type { Router } from 'express'
import { html } from 'ghtml'
import { downloadFor } from '../http/operations/run-for.ts'
import { inputField } from '../http/pages/forms.ts'
import { renderTable } from '../http/pages/table.ts'
import { addForm } from '../people-pages/form.ts'
import { errorSummaryOf } from '../people-pages/frame.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import { hasRight, readShown, type Visit } from '../people-pages/visit.ts'
import * as lists from './money-filter.ts'
import { type MoneyLocale, moneyLocaleOf, pathWith, paymentPath } from './money-locale.ts'
import { refundPage } from './payments-refund.ts'
import { searchPayments } from './payments-search.ts'
import { storyPage } from './payments-story.ts'
import { paymentColumns } from './payments-view.ts'

export function addPaymentPages(router: Router): void {
  router.get('/payments', serveVisit('read-payments', showPayments))
  // A download may take longer than a page.
  router.get('/payments/export', serveVisit('export-payments', exportPayments, { isSlow: true }))
  addForm(router, storyPage)
  addForm(router, refundPage)
}

function fieldsOf({ words }: MoneyLocale): lists.FilterFields {
  const { filters, statuses } = words.payments
  return {
    status: [filters.status, { '': words.filter.any, ...statuses }],
    from: [filters.from, 'date'],
    to: [filters.to, 'date'],
    paidFrom: [filters.paidFrom, 'date'],
    paidTo: [filters.paidTo, 'date'],
    refundedFrom: [filters.refundedFrom, 'date'],
    refundedTo: [filters.refundedTo, 'date'],
    minAmount: [filters.minAmount, 'amount'],
    maxAmount: [filters.maxAmount, 'amount'],
    merchantReference: [filters.merchantReference, 'text'],
  }
}

async function showPayments(visit: Visit): Promise<VisitResult> {
  const q = lists.readQueryText(visit, 'q')
  if (q !== '') return showFound(visit, q)
  const locale = moneyLocaleOf(visit.res)
  const { payments } = locale.words
  const path = `${visit.base}/payments`
  const from = lists.readQueryText(visit, 'paidFrom') || lists.readQueryText(visit, 'from')
  const to = lists.readQueryText(visit, 'paidTo') || lists.readQueryText(visit, 'to')
  const till = html` <a href="${visit.base.replace('/portal', '/till')}">${payments.openTill}</a>`
  return lists.renderListPage(visit, {
    read: (query) => readShown(visit, 'listIntents', { query }),
    title: payments.title,
    path,
    current: path,
    fields: fieldsOf(locale),
    columns: paymentColumns(visit),
    intro: html`!${renderSearch(visit, '')}<p><a href="${pathWith(`${path}/export`, { from, to })}">${payments.export}</a></p>`,
    none: (isFiltered) =>
      isFiltered
        ? html`${payments.noneMatch}`
        : html`${payments.none}!${hasRight(visit, 'use-till') ? till : ''}`,
  })
}

function renderSearch({ res, base }: Visit, value: string) {
  const { label, hint, button } = moneyLocaleOf(res).words.payments.search
  const attributes = 'type="search" autocomplete="off" maxlength="200"'
  const field = inputField('q', { label, hint, value, attributes })
  return html`<form action="${base}/payments" role="search">!${field}<button>${button}</button></form>`
}

async function showFound(visit: Visit, q: string): Promise<VisitResult> {
  const path = `${visit.base}/payments`
  const { search } = moneyLocaleOf(visit.res).words.payments
  const { items, more } = await searchPayments(visit, q)
  const [only] = items
  if (only !== undefined && items.length === 1) return { to: paymentPath(visit, only.referenceNumber) }
  const found =
    items.length > 0
      ? renderTable(paymentColumns(visit), items, { label: search.label })
      : html`<p class="card" role="status">${search.none}</p>`
  const body = html`<h1>!${search.title(html`<bdi>${q}</bdi>`)}</h1>!${renderSearch(visit, q)}!${found}
<ul class="links">!${more === null ? '' : html`<li><a href="${more}">${search.more}</a></li>`}
<li><a href="${path}">${search.all}</a></li></ul>`
  return { title: search.title(q), body, current: path }
}

const operations = new Map([
  ['payments', 'exportPayments'],
  ['refunds', 'exportRefunds'],
  ['entries', 'exportLedgerEntries'],
] as const)

const files = new Map<string, Record<string, string>>([
  ['semicolon', { format: 'csv', delimiter: 'semicolon' }],
  ['comma', { format: 'csv', delimiter: 'comma' }],
  ['jsonl', { format: 'jsonl' }],
])

/** Shows the form if it hasn't been sent yet, or if a date is wrong. */
async function exportPayments(visit: Visit): Promise<VisitResult> {
  const { deps, res, caller, base } = visit
  const { words, code: language } = moneyLocaleOf(res)
  const { exports, search } = words.payments
  const fields: lists.FilterFields = {
    kind: [exports.kind, exports.kinds],
    from: [words.filter.from, 'date'],
    to: [words.filter.to, 'date'],
    file: [exports.format, words.files],
  }
  const filtered = await lists.readFiltered(visit, fields, async ({ kind, file = '', ...span }) => {
    const operation = operations.get(kind as 'payments')
    const form = files.get(file)
    if (operation === undefined || form === undefined) return false
    const query = { ...form, ...(file !== 'jsonl' && { language }), ...span }
    await downloadFor(deps, res, caller, operation, { query })
    return true
  })
  if (filtered.data === true) return 'sent'
  const { faults, status } = filtered
  const path = `${base}/payments`
  const body = html`!${errorSummaryOf(res, { faults }, words.problem)}<h1>${exports.title}</h1>
<p class="faint">${exports.hint}</p>
<form action="${path}/export" novalidate>!${lists.renderFields(fields, filtered)}<button>${exports.button}</button></form>
<p><a href="${path}">${search.all}</a></p>`
  return { status, title: exports.title, body, current: path, isNarrow: true }
}

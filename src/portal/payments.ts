import type { Router } from 'express'
import { html } from 'ghtml'
import { readFor } from '../http/operations/run-for.ts'
import { inputField } from '../http/pages/forms.ts'
import type { Page } from '../lists/pagination.ts'
import { errorSummaryOf } from '../people-pages/frame.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import { hasRight, type Visit } from '../people-pages/visit.ts'
import { type FilterFields, readFiltered, readQueryText, renderFilter } from './money-filter.ts'
import { type MoneyLocale, moneyLocaleOf, pathWith, paymentPath, renderPaging } from './money-locale.ts'
import { addPaymentExport } from './payments-export.ts'
import { addRefundPage } from './payments-refund.ts'
import { searchPayments } from './payments-search.ts'
import { addPaymentStory } from './payments-story.ts'
import { type Payment, renderPayments } from './payments-view.ts'

export function addPaymentPages(router: Router): void {
  router.get('/payments', serveVisit('read-payments', showList))
  addPaymentExport(router)
  addPaymentStory(router)
  addRefundPage(router)
}

function fieldsOf({ words }: MoneyLocale): FilterFields {
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

async function showList(visit: Visit): Promise<VisitResult> {
  const { deps, res, caller, base } = visit
  const q = readQueryText(visit, 'q')
  if (q !== '') return showFound(visit, q)
  const locale = moneyLocaleOf(res)
  const { words } = locale
  const { payments } = words
  const path = `${base}/payments`
  const fields = fieldsOf(locale)
  const filtered = await readFiltered(visit, fields, async (query) => {
    return (await readFor<Page<Payment>>(deps, res, caller, 'listIntents', { query })).data
  })
  const { typed, faults, data, status } = filtered
  const isUsed = Object.keys(typed).length > 0
  const { from = typed['paidFrom'] ?? '', to = typed['paidTo'] ?? '' } = typed
  const body = html`!${errorSummaryOf(res, { faults }, words.problem)}<h1>${payments.title}</h1>
!${renderSearch(visit, '')}
<details class="card" !${isUsed ? 'open' : ''}><summary>${payments.filters.title}</summary>
!${renderFilter(locale, path, fields, filtered)}</details>
!${data === null ? '' : renderList(visit, data, typed)}
<p><a href="${pathWith(`${path}/export`, { from, to })}">${payments.export}</a></p>`
  return { status, title: payments.title, body, current: path }
}

function renderList(visit: Visit, data: Page<Payment>, typed: Record<string, string>) {
  const { payments } = moneyLocaleOf(visit.res).words
  const { items, total } = data
  const isUsed = Object.keys(typed).length > 0
  const path = `${visit.base}/payments`
  if (items.length > 0)
    return html`<p class="faint">${payments.total(String(total))}</p>
!${renderPayments(visit, items)}!${renderPaging(visit, path, typed, data)}`
  const till = visit.base.replace('/portal', '/till')
  const open = hasRight(visit, 'use-till') ? html` <a href="${till}">${payments.openTill}</a>` : ''
  return html`<p class="card">${isUsed || total > 0 ? payments.noneMatch : payments.none}!${isUsed ? '' : open}</p>`
}

function renderSearch({ res, base }: Visit, q: string) {
  const { label, hint, button } = moneyLocaleOf(res).words.payments.search
  const field = inputField('q', {
    label,
    hint,
    value: q,
    attributes: 'type="search" autocomplete="off" maxlength="200"',
  })
  return html`<form action="${base}/payments" role="search">!${field}<button>${button}</button></form>`
}

async function showFound(visit: Visit, q: string): Promise<VisitResult> {
  const { res, base } = visit
  const { search } = moneyLocaleOf(res).words.payments
  const { items, more } = await searchPayments(visit, q)
  const [only] = items
  if (only !== undefined && items.length === 1 && more === null)
    return { to: paymentPath(visit, only.referenceNumber) }
  const path = `${base}/payments`
  const found =
    items.length > 0 ? renderPayments(visit, items) : html`<p class="card" role="status">${search.none}</p>`
  const body = html`<h1>!${search.title(html`<bdi>${q}</bdi>`)}</h1>
!${renderSearch(visit, q)}!${found}
<p class="links">!${more === null ? '' : html`<a href="${more}">${search.more}</a>`} <a href="${path}">${search.all}</a></p>`
  return { title: search.title(q), body, current: path }
}

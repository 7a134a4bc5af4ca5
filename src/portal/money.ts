import type { Router } from 'express'
import { html } from 'ghtml'
import { downloadFor, readFor } from '../http/operations/run-for.ts'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import { renderFactList, renderLtr, renderMoney } from '../http/pages/text.ts'
import type { Page } from '../lists/pagination.ts'
import { errorSummaryOf } from '../people-pages/frame.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import type { Visit } from '../people-pages/visit.ts'
import { Refusal } from '../platform/errors.ts'
import { type FilterFields, readFiltered, readQueryText, renderFilter } from './money-filter.ts'
import { addMoneyLists, renderMoneyLinks } from './money-lists.ts'
import { type MoneyLocale, moneyColumn, moneyLocaleOf, pathWith, renderMoment } from './money-locale.ts'

export function addMoneyPages(router: Router): void {
  const slow = { isSlow: true }
  router.get('/money', serveVisit('read-money', showMoney))
  router.get('/money/statements/file', serveVisit('read-money', sendMonth, slow))
  router.get('/money/statements/:day', serveVisit('read-money', showDay))
  router.get('/money/statements/:day/file', serveVisit('read-money', sendDay, slow))
  addMoneyLists(router)
}

interface Moved {
  count: number
  amount: number
}

interface Statement {
  day: string
  opening: number
  payments: Moved
  refunds: Moved
  fees: { amount: number }
  payouts: Moved
  closing: number
  closed: boolean
}

async function showMoney(visit: Visit): Promise<VisitResult> {
  const { deps, res, caller, base } = visit
  const locale = moneyLocaleOf(res)
  const { words } = locale
  const { books } = words
  const path = `${base}/money`
  const balance = await readFor<{ amount: number; asOf: string }>(deps, res, caller, 'getBalance')
  const { amount, asOf } = balance.data
  const fields: FilterFields = { month: [books.month, 'month'] }
  const filtered = await readFiltered(visit, fields, async (query) => {
    return (await readFor<Page<Statement>>(deps, res, caller, 'listStatements', { query })).data
  })
  const { data, faults, status } = filtered
  const month = data?.items[0]?.day.slice(0, 7) ?? ''
  const shown = { ...filtered, typed: month === '' ? filtered.typed : { month } }
  const body = html`!${errorSummaryOf(res, { faults }, words.problem)}<h1>${books.title}</h1>
!${renderMoneyLinks(visit, 'balance')}
<div class="card"><h2>${books.balance}</h2><p class="money">!${renderMoney(locale, amount)}</p>
<p>${amount < 0 ? books.owing : books.owed}</p>
<p class="faint">!${books.asOf(renderMoment(locale, asOf))}</p></div>
<h2>${books.statements}</h2>
!${renderFilter(locale, path, fields, shown)}
!${data === null ? '' : renderMonth(visit, locale, data.items)}
!${data === null ? '' : renderFiles(locale, `${path}/statements/file`, { month })}`
  return { status, title: books.title, body, current: path }
}

const hasMoved = ({ payments, refunds, fees, payouts }: Statement): boolean =>
  payments.count + refunds.count + payouts.count > 0 || fees.amount !== 0

function renderMonth({ base }: Visit, locale: MoneyLocale, items: readonly Statement[]) {
  const { books } = locale.words
  const days = items.filter(hasMoved).toReversed()
  if (days.length === 0) return html`<p class="card">${books.noneInMonth}</p>`
  const columns: TableColumn<Statement>[] = [
    {
      label: books.day,
      html: ({ day }) => html`<a dir="ltr" href="${base}/money/statements/${day}">${day}</a>`,
    },
    moneyColumn(locale, books.opening, ({ opening }) => opening),
    countedColumn(locale, books.payments, ({ payments }) => payments),
    countedColumn(locale, books.refunds, ({ refunds }) => refunds),
    moneyColumn(locale, books.fees, ({ fees }) => fees.amount),
    countedColumn(locale, books.payouts, ({ payouts }) => payouts),
    moneyColumn(locale, books.closing, ({ closing }) => closing),
  ]
  return renderTable(columns, days, { label: books.statements, caption: books.months })
}

const renderMoved = (locale: MoneyLocale, { amount, count }: Moved) =>
  locale.words.books.counted(renderMoney(locale, amount), String(count))

const countedColumn = (locale: MoneyLocale, label: string, of: (statement: Statement) => Moved) => ({
  label,
  classes: 'number',
  html: (statement: Statement) => renderMoved(locale, of(statement)),
})

function renderFiles({ words }: MoneyLocale, path: string, query: Record<string, string>) {
  const links = (['semicolon', 'comma'] as const).map(
    (delimiter) =>
      html`<li><a href="${pathWith(path, { ...query, delimiter })}">${words.files[delimiter]}</a></li>`,
  )
  return html`<h2>${words.books.download}</h2><ul class="links">!${links}</ul>`
}

async function showDay(visit: Visit): Promise<VisitResult> {
  const { deps, req, res, caller, base } = visit
  const locale = moneyLocaleOf(res)
  const { books } = locale.words
  const day = String(req.params['day'])
  const params = { day }
  const statement = await readFor<Statement>(deps, res, caller, 'getStatement', { params }).catch(orNull)
  if (statement === null) return null
  const { opening, payments, refunds, fees, payouts, closing, closed } = statement.data
  const facts = renderFactList([
    [books.opening, renderMoney(locale, opening)],
    [books.payments, renderMoved(locale, payments)],
    [books.refunds, renderMoved(locale, refunds)],
    [books.fees, renderMoney(locale, fees.amount)],
    [books.payouts, renderMoved(locale, payouts)],
    [books.closing, renderMoney(locale, closing)],
  ])
  const entries = pathWith(`${base}/money/entries`, { from: day, to: day })
  const body = html`<h1>!${books.statement(renderLtr(day))}</h1>!${renderMoneyLinks(visit, 'balance')}
<div class="card">!${facts}<p>${closed ? books.closed : books.notClosed}</p>
<p><a href="${entries}">${books.ofDay}</a></p></div>
!${renderFiles(locale, `${base}/money/statements/${day}/file`, {})}`
  return { title: books.statement(day), body, current: `${base}/money` }
}

/** No page has a day that isn't one, or that hasn't begun. */
function orNull(error: unknown): null {
  if (error instanceof Refusal && error.code === 'VALIDATION_ERROR') return null
  throw error
}

const fileQuery = (visit: Visit, ...names: string[]): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => [name, readQueryText(visit, name)]).filter(([, value]) => value !== ''),
  )

async function sendMonth(visit: Visit): Promise<VisitResult> {
  const query = fileQuery(visit, 'month', 'delimiter')
  await downloadFor(visit.deps, visit.res, visit.caller, 'listStatements', { query })
  return 'sent'
}

async function sendDay(visit: Visit): Promise<VisitResult> {
  const params = { day: String(visit.req.params['day']) }
  const query = fileQuery(visit, 'delimiter')
  await downloadFor(visit.deps, visit.res, visit.caller, 'getStatement', { params, query })
  return 'sent'
}

import type { Router } from 'express'
import { html } from 'ghtml'
import { downloadFor } from '../http/operations/run-for.ts'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import { renderFactList, renderLtr, renderMoney, renderTime } from '../http/pages/text.ts'
import type { Statement } from '../ledger/statement.ts'
import { errorSummaryOf } from '../people-pages/frame.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import { readShown, type Visit } from '../people-pages/visit.ts'
import { Refusal } from '../platform/errors.ts'
import { type FilterFields, readFiltered, readQueryText, renderFilter } from './money-filter.ts'
import { addMoneyLists, renderMoneyLinks } from './money-lists.ts'
import { type MoneyLocale, moneyLocaleOf, paramOf, pathWith } from './money-locale.ts'

export function addMoneyPages(router: Router): void {
  const slow = { isSlow: true }
  router.get('/money', serveVisit('read-money', showMoney))
  router.get('/money/statements/file', serveVisit('read-money', sendFile('listStatements'), slow))
  router.get('/money/statements/:day', serveVisit('read-money', showDay))
  router.get('/money/statements/:day/file', serveVisit('read-money', sendFile('getStatement'), slow))
  addMoneyLists(router)
}

async function showMoney(visit: Visit): Promise<VisitResult> {
  const locale = moneyLocaleOf(visit.res)
  const { words } = locale
  const { books } = words
  const path = `${visit.base}/money`
  const { amount, asOf } = await readShown(visit, 'getBalance')
  const fields: FilterFields = { month: [books.month, 'month'] }
  const { data, typed, faults, status } = await readFiltered(visit, fields, (query) =>
    readShown(visit, 'listStatements', { query }),
  )
  const month = data?.items[0]?.day.slice(0, 7)
  const shown = { typed: month === undefined ? typed : { month }, faults }
  const body = html`!${errorSummaryOf(visit.res, { faults }, words.problem)}<h1>${books.title}</h1>
!${renderMoneyLinks(visit, 'balance')}
<div class="card"><h2>${books.balance}</h2><p class="money">!${renderMoney(locale, amount)}</p>
<p>${amount < 0 ? books.owing : books.owed}</p>
<p class="faint">!${books.asOf(renderTime(locale, asOf))}</p></div>
<h2>${books.statements}</h2>!${renderFilter(locale, path, fields, shown)}
!${data === null ? '' : renderMonth(visit, locale, data.items)}
!${month === undefined ? '' : renderFiles(locale, `${path}/statements/file`, { month })}`
  return { status, title: books.title, body, current: path }
}

const hasMoved = ({ payments, refunds, fees, payouts }: Statement): boolean =>
  payments.count + refunds.count + payouts.count > 0 || fees.amount !== 0

function renderMonth({ base }: Visit, locale: MoneyLocale, items: readonly Statement[]) {
  const { books } = locale.words
  const days = items.filter(hasMoved).toReversed()
  if (days.length === 0) return html`<p class="card">${books.noneInMonth}</p>`
  const dayLink = ({ day }: Statement) => html`<a dir="ltr" href="${base}/money/statements/${day}">${day}</a>`
  const columns: TableColumn<Statement>[] = [
    [books.day, dayLink],
    ...amountNames.map(
      (name): TableColumn<Statement> => [books[name], (day) => renderAmount(locale, day, name), 'number'],
    ),
  ]
  return renderTable(columns, days, { label: books.statements, caption: books.months })
}

const amountNames = ['opening', 'payments', 'refunds', 'fees', 'payouts', 'closing'] as const

function renderAmount(locale: MoneyLocale, statement: Statement, name: (typeof amountNames)[number]) {
  if (name === 'opening' || name === 'closing') return renderMoney(locale, statement[name])
  if (name === 'fees') return renderMoney(locale, statement.fees.amount)
  const { amount, count } = statement[name]
  return locale.words.books.counted(renderMoney(locale, amount), String(count))
}

function renderFiles({ words: { files, books } }: MoneyLocale, path: string, query: Record<string, string>) {
  const links = (['semicolon', 'comma'] as const).map(
    (delimiter) =>
      html`<li><a href="${pathWith(path, { ...query, delimiter })}">${files[delimiter]}</a></li>`,
  )
  return html`<h2>${books.download}</h2><ul class="links">!${links}</ul>`
}

async function showDay(visit: Visit): Promise<VisitResult> {
  const locale = moneyLocaleOf(visit.res)
  const { books } = locale.words
  const day = paramOf(visit, 'day')
  const statement = await readShown(visit, 'getStatement', { params: { day } }).catch(orNull)
  if (statement === null) return null
  const facts = amountNames.map((name) => [books[name], renderAmount(locale, statement, name)] as const)
  const path = `${visit.base}/money`
  const body = html`<h1>!${books.statement(renderLtr(day))}</h1>!${renderMoneyLinks(visit, 'balance')}
<div class="card">!${renderFactList(facts)}<p>${statement.closed ? books.closed : books.notClosed}</p>
<p><a href="${path}/entries?from=${day}&to=${day}">${books.ofDay}</a></p></div>
!${renderFiles(locale, `${path}/statements/${day}/file`, {})}`
  return { title: books.statement(day), body, current: path }
}

/** There's no page for a day that isn't one, or that hasn't begun. */
function orNull(error: unknown): null {
  if (error instanceof Refusal && error.code === 'VALIDATION_ERROR') return null
  throw error
}

const sendFile =
  (operation: 'listStatements' | 'getStatement') =>
  async (visit: Visit): Promise<VisitResult> => {
    const { deps, res, caller } = visit
    const named = ['month', 'delimiter'].map((name) => [name, readQueryText(visit, name)] as const)
    const query = Object.fromEntries(named.filter(([, text]) => text !== ''))
    const params = operation === 'getStatement' ? { day: paramOf(visit, 'day') } : {}
    await downloadFor(deps, res, caller, operation, { params, query })
    return 'sent'
  }

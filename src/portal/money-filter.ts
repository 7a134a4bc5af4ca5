import { html } from 'ghtml'
import { inputField } from '../http/pages/forms.ts'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import { parseTypedAmount } from '../input/amount.ts'
import type { Page } from '../lists/pagination.ts'
import { errorSummaryOf, type PersonPage, personPaging } from '../people-pages/frame.ts'
import type { Visit } from '../people-pages/visit.ts'
import { Refusal } from '../platform/errors.ts'
import { type MoneyLocale, moneyLocaleOf, pathWith } from './money-locale.ts'

type Texts = Readonly<Record<string, string>>
type FilterKind = 'date' | 'month' | 'amount' | 'text' | Texts

/** Named like the query parameters of the API's operation. */
export type FilterFields = Readonly<Record<string, readonly [label: string, kind: FilterKind]>>

export interface Filtered<Data> {
  typed: Texts
  /** Null if a field is wrong. */
  data: Data | null
  faults: Texts
  status: number
}

/** A repeated parameter becomes one text, which the API then refuses. */
export function readQueryText({ req }: Visit, name: string): string {
  const { [name]: value = '' } = req.query
  return typeof value === 'string' ? value.trim() : JSON.stringify(value)
}

/** Runs `read` with what was typed. What the API refuses becomes messages at the fields. */
export async function readFiltered<Data>(
  visit: Visit,
  fields: FilterFields,
  read: (query: Texts) => Promise<Data>,
): Promise<Filtered<Data>> {
  const { words } = moneyLocaleOf(visit.res)
  const typed: Record<string, string> = {}
  const query: Record<string, string> = {}
  const faults: Record<string, string> = {}
  for (const [name, [, kind]] of Object.entries(fields)) {
    const text = readQueryText(visit, name)
    if (text === '') continue
    typed[name] = text
    const amount = kind === 'amount' ? parseTypedAmount(text) : 0
    query[name] = kind === 'amount' ? String(amount) : text
    if (typeof amount !== 'number') faults[name] = words.typedAmount[amount ?? 'missing']
  }
  if (Object.keys(faults).length > 0) return { typed, data: null, faults, status: 400 }
  try {
    return { typed, data: await read(query), faults, status: 200 }
  } catch (error) {
    return { typed, data: null, faults: faultsOf(words, fields, query, error), status: 400 }
  }
}

const lastOf: Texts = { from: 'to', paidFrom: 'paidTo', refundedFrom: 'refundedTo', minAmount: 'maxAmount' }

/** Throws the error if it isn't about the fields. */
function faultsOf(
  { filter, typedAmount }: MoneyLocale['words'],
  fields: FilterFields,
  query: Texts,
  error: unknown,
) {
  if (!(error instanceof Refusal) || error.code !== 'VALIDATION_ERROR') throw error
  const { param = '', details } = error.extras
  // Faults of single fields come as a list. Without it, two fields contradict each other.
  const isSingle = Array.isArray(details)
  const params = isSingle ? details.map((each) => String(each.param)) : [param]
  if (!params.every((name) => name in fields)) throw error
  const textOf = (name: string): string => {
    const kind = fields[name]?.[1] ?? 'text'
    if (typeof kind === 'object') return filter.choice
    if (kind === 'month' || (isSingle && kind !== 'amount')) return filter[kind]
    if (isSingle) return typedAmount.missing
    const [first = '', last = ''] = [query[name], query[lastOf[name] ?? '']]
    const isAmount = kind === 'amount'
    const isReversed = last !== '' && (isAmount ? Number(first) > Number(last) : first > last)
    if (!isReversed) return filter.combined
    return isAmount ? filter.amountOrder : filter.order
  }
  return Object.fromEntries(params.map((name) => [name, textOf(name)]))
}

const attributes = {
  date: 'type="date"',
  month: 'type="month"',
  amount: 'dir="ltr" inputmode="decimal" autocomplete="off" maxlength="40"',
  text: 'autocomplete="off" maxlength="200"',
}

export const renderFields = (
  fields: FilterFields,
  { typed, faults }: Pick<Filtered<unknown>, 'typed' | 'faults'>,
): string[] =>
  Object.entries(fields).map(([name, [label, kind]]) => {
    const look = typeof kind === 'object' ? { choices: kind } : { attributes: attributes[kind] }
    return inputField(name, { label, value: typed[name], fault: faults[name], ...look })
  })

export const renderFilter = (
  { words: { filter } }: MoneyLocale,
  path: string,
  fields: FilterFields,
  filtered: Pick<Filtered<unknown>, 'typed' | 'faults'>,
): string => html`<form class="filter" action="${path}" novalidate>!${renderFields(fields, filtered)}
<button>${filter.show}</button></form>`

interface ListPage<Item> {
  read: (query: Texts) => Promise<Page<Item>>
  title: string
  path: string
  current: string
  fields: FilterFields
  columns: readonly TableColumn<Item>[]
  /** What follows the title, as HTML. */
  intro: string
  /** What to do if the list is empty, as HTML. */
  none: (isFiltered: boolean) => string
}

/** A list of the API with its filters. */
export async function renderListPage<Item>(visit: Visit, list: ListPage<Item>): Promise<PersonPage> {
  const { title, path, current, read, fields, intro } = list
  const locale = moneyLocaleOf(visit.res)
  const { problem, filter } = locale.words
  const page = readQueryText(visit, 'page')
  const filtered = await readFiltered(visit, fields, (query) =>
    read({ ...query, ...(page !== '' && { page }) }),
  )
  const { data, typed, faults, status } = filtered
  const isFiltered = Object.keys(typed).length > 0
  const body = html`!${errorSummaryOf(visit.res, { faults }, problem)}<h1>${title}</h1>!${intro}
<details class="card" !${isFiltered ? 'open' : ''}><summary>${filter.title}</summary>
!${renderFilter(locale, path, fields, filtered)}!${isFiltered ? html`<p><a href="${path}">${filter.clear}</a></p>` : ''}</details>
!${data === null ? '' : renderItems(visit, list, typed, data)}`
  return { status, title, body, current }
}

function renderItems<Item>(
  { res }: Visit,
  { title, path, columns, none }: ListPage<Item>,
  typed: Texts,
  { items, total, page, hasMore }: Page<Item>,
) {
  const { filter } = moneyLocaleOf(res).words
  const pathOf = (after: string) => pathWith(path, { ...typed, page: after })
  const table =
    items.length === 0
      ? html`<p class="card">!${none(Object.keys(typed).length > 0 || total > 0)}</p>`
      : html`<p class="faint">${filter.total(String(total))}</p>!${renderTable(columns, items, { label: title })}`
  return table + personPaging(res, pathOf, page === 1, hasMore ? String(page + 1) : null)
}

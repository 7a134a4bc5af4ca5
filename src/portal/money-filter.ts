import { html } from 'ghtml'
import { inputField } from '../http/pages/forms.ts'
import { parseTypedAmount } from '../input/amount.ts'
import type { Visit } from '../people-pages/visit.ts'
import { Refusal } from '../platform/errors.ts'
import { type MoneyLocale, moneyLocaleOf } from './money-locale.ts'

type Choices = Readonly<Record<string, string>>
type FilterKind = 'date' | 'month' | 'amount' | 'text' | Choices

/** Named like the query parameters of the API's operation. */
export type FilterFields = Readonly<Record<string, readonly [label: string, kind: FilterKind]>>
type Texts = Record<string, string>

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
  const locale = moneyLocaleOf(visit.res)
  const names = Object.keys(fields).filter((name) => readQueryText(visit, name) !== '')
  const typed = Object.fromEntries(names.map((name) => [name, readQueryText(visit, name)]))
  const refused = (faults: Texts) => ({ typed, data: null, faults, status: 400 })
  const { query, faults } = readAmounts(locale, fields, typed)
  if (Object.keys(faults).length > 0) return refused(faults)
  try {
    const page = readQueryText(visit, 'page')
    const data = await read({ ...query, ...(page !== '' && { page }) })
    return { typed, data, faults, status: 200 }
  } catch (error) {
    const found = faultsOf(locale, fields, query, error)
    if (found === null) throw error
    return refused(found)
  }
}

function readAmounts({ words }: MoneyLocale, fields: FilterFields, typed: Texts) {
  const { missing, unclear } = words.typedAmount
  const query = { ...typed }
  const faults: Texts = {}
  for (const [name, text] of Object.entries(typed)) {
    if (fields[name]?.[1] !== 'amount') continue
    const amount = parseTypedAmount(text)
    if (typeof amount === 'number') query[name] = String(amount)
    else faults[name] = amount === null ? missing : unclear
  }
  return { query, faults }
}

const lastOf: Texts = {
  from: 'to',
  paidFrom: 'paidTo',
  refundedFrom: 'refundedTo',
  minAmount: 'maxAmount',
}

/** Null if the error isn't about one of the fields. */
function faultsOf({ words }: MoneyLocale, fields: FilterFields, query: Texts, error: unknown): Texts | null {
  if (!(error instanceof Refusal) || error.code !== 'VALIDATION_ERROR') return null
  const { param = '', details } = error.extras
  // Faults of single fields come as a list. Without it, two fields contradict each other.
  const params = Array.isArray(details) ? details.map((each) => String(each.param)) : [param]
  if (!params.every((name) => name in fields)) return null
  const { filter } = words
  const textOf = (name: string): string => {
    const kind = fields[name]?.[1] ?? 'text'
    if (typeof kind === 'object') return filter.choice
    const last = query[lastOf[name] ?? '']
    const isPair = !Array.isArray(details) && kind !== 'month'
    if (!isPair) return kind === 'amount' ? words.typedAmount.missing : filter[kind]
    if (last === undefined) return filter.combined
    const first = query[name] ?? ''
    if (kind === 'amount') return Number(first) > Number(last) ? filter.amountOrder : filter.combined
    return first > last ? filter.order : filter.combined
  }
  return Object.fromEntries(params.map((name) => [name, textOf(name)]))
}

const attributes = {
  date: 'type="date"',
  month: 'type="month"',
  amount: 'dir="ltr" inputmode="decimal" autocomplete="off" maxlength="40"',
  text: 'autocomplete="off" maxlength="200"',
}

export const renderFilterField = (
  name: string,
  [label, kind]: FilterFields[string],
  { typed, faults }: Pick<Filtered<unknown>, 'typed' | 'faults'>,
): string =>
  inputField(name, {
    label,
    value: typed[name],
    fault: faults[name],
    ...(typeof kind === 'object' ? { choices: kind } : { attributes: attributes[kind] }),
  })

export function renderFilter(
  { words }: MoneyLocale,
  action: string,
  fields: FilterFields,
  filtered: Omit<Filtered<unknown>, 'data'>,
): string {
  const shown = Object.entries(fields).map(([name, field]) => renderFilterField(name, field, filtered))
  const isUsed = Object.keys(filtered.typed).length > 0
  const clear = html`<a href="${action}">${words.filter.clear}</a>`
  return html`<form class="filter" action="${action}" novalidate>!${shown}<button>${words.filter.show}</button>
!${isUsed ? clear : ''}</form>`
}

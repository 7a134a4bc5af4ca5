import { html } from 'ghtml'
import { isolateText } from '../http/pages/text.ts'
import type { PageField } from '../staff-acts/shown.ts'
import { environmentBadge, formatMoney, groupDigits, renderTime } from './format.ts'
import { businessLink, idLink, paymentPath } from './paths.ts'

/** On phones, the rows of a button column (`isAction`) omit its label. */
export type PageTableColumn<Item> = PageField<Item> & { isAction?: true }

const classOf: Partial<Record<NonNullable<PageField<never>['unit']>, string>> = {
  count: 'number',
  money: 'number',
  id: 'id',
  user: 'wide',
  time: 'wide when',
}

/** The result is empty if the field doesn't apply to `thing`. */
function contentOf<Thing>(field: PageField<Thing>, thing: Thing) {
  if ('html' in field) return field.html(thing)
  const { unit } = field
  const shown = field.value(thing)
  if (shown === undefined) return ''
  if (shown === null) return unit === 'day' || unit === 'date' ? 'never' : 'none'
  if (shown instanceof Date) return renderTime(shown)
  if (typeof shown === 'boolean') return shown ? 'yes' : 'no'
  if (typeof shown === 'number') return unit === 'money' ? formatMoney(shown) : groupDigits(shown)
  return unit === 'user' ? isolateText(shown) : html`${shown}`
}

export const renderFacts = <Thing>(thing: Thing, fields: readonly PageField<NoInfer<Thing>>[]): string =>
  fields.map((field) => fact(field, contentOf(field, thing))).join('')

const fact = ({ label, unit }: PageField<never>, content: string) =>
  content === '' ? '' : html`<dt>${label}</dt><dd !${unit === 'id' ? 'class="id"' : ''}>!${content}</dd>`

export const businessField: PageField<{ businessId: string; business: { name: string } | null }> = {
  label: 'Business',
  unit: 'user',
  html: ({ businessId, business }) => businessLink(businessId, business?.name),
}

export const paymentField: PageField<{ referenceNumber: string; sandbox: boolean }> = {
  label: 'Payment',
  html: ({ referenceNumber: id, sandbox }) =>
    html`!${idLink(paymentPath(id), id)} !${environmentBadge(sandbox)}`,
}

interface Look {
  caption?: string
  label?: string
  isTight?: boolean
}

export const renderTable = <Item>(
  columns: readonly PageTableColumn<Item>[],
  items: readonly Item[],
  { caption, label, isTight = false }: Look = {},
): string =>
  html`<div class="scroll" !${label === undefined ? '' : html`role="region" aria-label="${label}" tabindex="0"`}>
    <table class="${isTight ? 'cards tight' : 'cards'}">
      !${caption === undefined ? '' : html`<caption>${caption}</caption>`}
      <thead><tr>!${columns.map(heading)}</tr></thead>
      <tbody>!${items.map((item) => html`<tr>!${columns.map((column) => cell(column, item))}</tr>`)}</tbody>
    </table>
  </div>`

const classesOf = ({ unit }: PageField<never>) => (unit && classOf[unit]) ?? ''

const heading = (column: PageField<never>) =>
  html`<th scope="col" !${classesOf(column) === 'number' ? 'class="number"' : ''}>${column.label}</th>`

function cell<Item>(column: PageTableColumn<Item>, item: Item) {
  const label = column.isAction ? '' : html` data-label="${column.label}"`
  const classes = classesOf(column)
  return html`<td!${label}!${classes === '' ? '' : html` class="${classes}"`}>!${contentOf(column, item)}</td>`
}

export const pagingLinks = (
  pathOf: (after: string) => string,
  isFirst: boolean,
  next: string | null,
  [first, later]: readonly [first: string, later: string] = ['First page', 'Next page'],
): string =>
  html`<p class="pages">
    !${isFirst ? '' : html`<a href="${pathOf('')}">${first}</a>`}
    !${next === null ? '' : html`<a rel="next" href="${pathOf(next)}">${later}</a>`}
  </p>`

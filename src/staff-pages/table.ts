import { html } from 'ghtml'
import { renderTable as renderPageTable, type TableColumn, type TableLook } from '../http/pages/table.ts'
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

export const renderTable = <Item>(
  columns: readonly PageTableColumn<Item>[],
  items: readonly Item[],
  look?: TableLook,
): string =>
  renderPageTable(
    columns.map((column): TableColumn<Item> => {
      const cellLook = column.isAction ? 'action' : column.unit && classOf[column.unit]
      return [column.label, (item) => contentOf(column, item), cellLook]
    }),
    items,
    look,
  )

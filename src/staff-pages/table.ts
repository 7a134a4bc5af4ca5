import { html } from 'ghtml'
import type { ShownField, Unit } from '../staff-acts/shown.ts'
import { time } from './layout.ts'
import { money, userText } from './words.ts'

/**
 * A column of a table. `text` returns the plain text of a cell, and `html` returns its HTML, in which every value must
 * be escaped.
 */
export type Column<Item> = {
  title: string
  classes?: 'number' | 'id' | 'wide' | 'wide when'
  /** A button says what it does, so a card on a phone does not repeat the title. */
  isAction?: true
} & ({ text(item: Item): string | number } | { html(item: Item): string })

const classOf: Partial<Record<Unit, 'number' | 'id' | 'wide'>> = {
  count: 'number',
  money: 'number',
  id: 'id',
  user: 'wide',
}

/** Returns a column with a field that the command line shows too, with its own HTML if it is more than the value. */
export function columnOf<Item>(field: ShownField<Item>, content?: (item: Item) => string): Column<Item> {
  const classes = field.unit && classOf[field.unit]
  return {
    title: field.label,
    ...(classes && { classes }),
    html: content ?? ((item) => valueOf(field, item)),
  }
}

/** Returns fields as items of a `dl` element. */
export const factsOf = <Thing>(thing: Thing, fields: readonly ShownField<Thing>[]): string =>
  html`!${fields.map(
    (field) =>
      html`<dt>${field.label}</dt><dd !${field.unit === 'id' ? 'class="id"' : ''}>!${valueOf(field, thing)}</dd>`,
  )}`

/** Returns the value of a field as HTML. */
function valueOf<Thing>({ unit, value }: ShownField<Thing>, thing: Thing): string {
  const shown = value(thing)
  if (shown === null) return unit === 'day' || unit === 'date' ? 'never' : 'none'
  if (shown instanceof Date) return time(shown)
  if (typeof shown === 'boolean') return shown ? 'yes' : 'no'
  if (unit === 'html') return String(shown)
  if (unit === 'money' && typeof shown === 'number') return money(shown)
  return unit === 'user' ? userText(String(shown)) : html`${shown}`
}

interface Look {
  caption?: string
  /** The name of a table that the keyboard can scroll. */
  label?: string
  isTight?: boolean
}

/** Returns a table. On a phone, each row is shown as a card, in which the titles of the columns precede the cells. */
export const table = <Item>(
  columns: readonly Column<Item>[],
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

const heading = ({ title, classes }: Pick<Column<unknown>, 'title' | 'classes'>): string =>
  html`<th scope="col" !${classes === 'number' ? 'class="number"' : ''}>${title}</th>`

function cell<Item>(column: Column<Item>, item: Item): string {
  const { title, classes, isAction } = column
  const label = isAction ? '' : html` data-label="${title}"`
  const className = classes === undefined ? '' : html` class="${classes}"`
  return html`<td!${label}!${className}>!${'html' in column ? column.html(item) : html`${column.text(item)}`}</td>`
}

/** Returns the links to the first and the next page of a list. `pathOf` returns the path of the page after an item. */
export const pageLinks = (
  pathOf: (after: string) => string,
  isFirst: boolean,
  next: string | null,
  [first, later]: readonly [first: string, later: string] = ['First page', 'Next page'],
): string =>
  html`<p class="pages">
    !${isFirst ? '' : html`<a href="${pathOf('')}">${first}</a>`}
    !${next === null ? '' : html`<a rel="next" href="${pathOf(next)}">${later}</a>`}
  </p>`

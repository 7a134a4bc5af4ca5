import { html } from 'ghtml'

export interface TableColumn<Item> {
  label: string
  /** Escaped HTML. On phones, empty cells are left out. */
  html: (item: Item) => string
  classes?: string | undefined
  /** On phones, the rows of a button column omit its label. */
  isAction?: boolean | undefined
}

export interface TableLook {
  caption?: string
  label?: string
  isTight?: boolean
}

/** On phones, each row becomes a card. */
export const renderTable = <Item>(
  columns: readonly TableColumn<Item>[],
  items: readonly Item[],
  { caption, label, isTight = false }: TableLook = {},
): string =>
  html`<div class="scroll" !${label === undefined ? '' : html`role="region" aria-label="${label}" tabindex="0"`}>
    <table class="${isTight ? 'cards tight' : 'cards'}">
      !${caption === undefined ? '' : html`<caption>${caption}</caption>`}
      <thead><tr>!${columns.map(heading)}</tr></thead>
      <tbody>!${items.map((item) => html`<tr>!${columns.map((column) => cell(column, item))}</tr>`)}</tbody>
    </table>
  </div>`

const heading = ({ label, classes }: TableColumn<never>) =>
  html`<th scope="col" !${classes === 'number' ? 'class="number"' : ''}>${label}</th>`

function cell<Item>({ label, html: render, classes = '', isAction = false }: TableColumn<Item>, item: Item) {
  const named = isAction ? '' : html` data-label="${label}"`
  return html`<td!${named}!${classes === '' ? '' : html` class="${classes}"`}>!${render(item)}</td>`
}

export const pagingLinks = (
  pathOf: (after: string) => string,
  isFirst: boolean,
  next: string | null,
  [first, later]: readonly [first: string, later: string],
): string =>
  html`<p class="pages">
    !${isFirst ? '' : html`<a href="${pathOf('')}">${first}</a>`}
    !${next === null ? '' : html`<a rel="next" href="${pathOf(next)}">${later}</a>`}
  </p>`

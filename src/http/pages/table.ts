import { html } from 'ghtml'

/**
 * `html` returns escaped HTML. On phones, empty cells are left out, and the cells of an
 * `action` column have no label. Other looks are classes.
 */
export type TableColumn<Item> = readonly [
  label: string,
  html: (item: Item) => string,
  look?: string | undefined,
]

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

const heading = ([label, , look]: TableColumn<never>) =>
  html`<th scope="col" !${look === 'number' ? 'class="number"' : ''}>${label}</th>`

function cell<Item>([label, render, look]: TableColumn<Item>, item: Item) {
  const named = look === 'action' ? '' : html` data-label="${label}"`
  return html`<td!${named}!${look === undefined ? '' : html` class="${look}"`}>!${render(item)}</td>`
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

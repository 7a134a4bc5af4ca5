import Table from 'cli-table3'
import { hasRows, valueText } from './text.ts'

/** A column of a table. Numbers are right-aligned. */
export interface Column<Item> {
  title: string
  cell(item: Item): string | number | null
  /** If true, the cells of the column are shortened if the table would otherwise be too wide. */
  mayShrink?: boolean
}

/** The maximum width of a table in characters. */
const maxWidth = 120
const minShrunkWidth = 12

const noBorders = Object.fromEntries(
  ['top', 'bottom', 'left', 'mid', 'right'].flatMap((side) => [side, `${side}-mid`].map((name) => [name, ''])),
)
const noCorners = Object.fromEntries(
  ['top', 'bottom'].flatMap((side) => [`${side}-left`, `${side}-right`].map((name) => [name, ''])),
)

/** Returns a table with a header row. If it is wider than `maxWidth`, the columns that may shrink are shortened. */
export function tableText<Item>(columns: readonly Column<Item>[], items: readonly Item[]): string {
  const natural = drawn(columns, items, [])
  const excess = natural.width - maxWidth
  if (excess <= 0) return linesWithoutPadding(natural)
  const widths = columns.map((column) => {
    if (column.mayShrink !== true) return null
    return Math.max(minShrunkWidth, drawn([column], items, []).width - excess)
  })
  return linesWithoutPadding(drawn(columns, items, widths))
}

function drawn<Item>(
  columns: readonly Column<Item>[],
  items: readonly Item[],
  colWidths: (number | null)[],
): Table.Table {
  const isNumeric = ({ cell }: Column<Item>): boolean => items.some((item) => typeof cell(item) === 'number')
  const table = new Table({
    head: columns.map(({ title }) => title),
    colAligns: columns.map((column) => (isNumeric(column) ? 'right' : 'left')),
    colWidths,
    chars: { ...noBorders, ...noCorners, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    truncate: '...',
  })
  table.push(...items.map((item) => columns.map(({ cell }) => cellText(cell(item)))))
  return table
}

const cellText = (value: string | number | null): string => (value === null ? '-' : valueText(value))

const linesWithoutPadding = (table: Table.Table): string =>
  table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')

/** Returns the fields of one object, with aligned values. A list of objects becomes a table of its own. */
export function detailsText(result: object): string {
  const fields = Object.entries(result)
  const width = Math.max(...fields.map(([name]) => name.length))
  return fields
    .map(([name, value]) =>
      hasRows(value) ? `${name}\n${indented(value)}` : `${name.padEnd(width)}  ${valueText(value)}`,
    )
    .join('\n')
}

function indented(rows: object[]): string {
  const columns = Object.keys(rows[0] ?? {}).map((title) => ({
    title,
    cell: (row: object) => cellOf((row as Record<string, unknown>)[title]),
  }))
  return tableText(columns, rows).replaceAll(/^/gm, '  ')
}

const cellOf = (value: unknown): string | number | null =>
  typeof value === 'number' || value === null ? value : valueText(value)

import Table from 'cli-table3'
import type { ShownField } from '../../staff-acts/shown.ts'

/**
 * Characters that could change how a terminal shows the text around them: control characters, invisible formatting
 * characters such as those that reverse the text direction, and line separators.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** Makes a terminal show a merchant's text as it is, e.g. with `\u{1b}` for ESC. */
export const escapeText = (text: string): string =>
  text.replaceAll(unsafe, (character) => String.raw`\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

/** For Commander's messages, which may repeat an argument. The suggestion gets a line of its own. */
export const escapeErrorMessage = (text: string): string =>
  `${text
    .trimEnd()
    .split(/\n(?=\(Did you mean [^\n]*\)$)/)
    .map(escapeText)
    .join('\n')}\n`

/** Escapes every unsafe character. A program that parses the JSON gets the same text. */
export const jsonText = (result: object): string =>
  JSON.stringify(result).replaceAll(unsafe, (character) =>
    Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(''),
  )

const escaped = (unit: number): string => String.raw`\u${unit.toString(16).padStart(4, '0')}`

/** To the second, such as `2026-11-21T07:35:12Z`. */
export const toSecond = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

/** UTC, such as `2026-11-21`. */
export const dayOf = (time: Date | null): string | null => time?.toISOString().slice(0, 10) ?? null

/** One line. A list becomes `one, other`, and an object `name 3, other 5`. */
function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (value instanceof Date) return toSecond(value)
  if (Array.isArray(value)) return value.map(valueText).join(', ') || 'none'
  if (typeof value === 'object')
    return (
      Object.entries(value)
        .map(([name, part]) => `${name} ${valueText(part)}`)
        .join(', ') || 'none'
    )
  return escapeText(typeof value === 'string' ? value : JSON.stringify(value))
}

/** One `name: value` line per field. */
export const linesOf = (result: object): string =>
  Object.entries(result)
    .map(([name, value]) => `${name}: ${hasRows(value) ? rowsOf(value) : valueText(value)}`)
    .join('\n')

const hasRows = (value: unknown): value is object[] =>
  Array.isArray(value) && typeof value[0] === 'object' && value[0] !== null

const rowsOf = (rows: object[]): string =>
  rows.map((row) => `\n  ${Object.values(row).map(rowCell).join('  ').trimEnd()}`).join('')

const rowCell = (value: unknown): string => (value === null ? '' : valueText(value))

/** Numbers are right-aligned. */
export interface Column<Item> {
  title: string
  cell(item: Item): string | number | null
  /** Whether cells are shortened if the table would otherwise be too wide. */
  mayShrink?: boolean
}

/** Pages show the field too. */
export const columnOf = <Item>({ label, unit, value }: ShownField<Item>): Column<Item> => ({
  title: label.toUpperCase(),
  mayShrink: unit === 'user',
  cell(item) {
    const shown = value(item)
    if (shown instanceof Date) return unit === 'date' ? dayOf(shown) : toSecond(shown)
    if (typeof shown === 'boolean') return shown ? 'yes' : 'no'
    return shown ?? null
  },
})

/** In characters. */
const maxWidth = 120
const minShrunkWidth = 12

const noBorders = Object.fromEntries(
  ['top', 'bottom', 'left', 'mid', 'right'].flatMap((side) =>
    [side, `${side}-mid`].map((name) => [name, '']),
  ),
)
const noCorners = Object.fromEntries(
  ['top', 'bottom'].flatMap((side) => [`${side}-left`, `${side}-right`].map((name) => [name, ''])),
)

/** If the table is wider than `maxWidth`, the columns that may shrink are shortened. */
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

/** Values are aligned. A list of objects becomes a table of its own. */
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

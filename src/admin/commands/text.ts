import Table from 'cli-table3'
import { toIsoSecond, toUtcDay } from '../../platform/time.ts'
import type { ShownField } from '../../staff-acts/shown.ts'

/** These characters could change how a terminal shows other text. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** Prevents a merchant's text from controlling the terminal. */
export const escapeUnsafe = (text: string): string =>
  text.replaceAll(unsafe, (character) => String.raw`\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

/** Commander's messages may echo an argument. */
export function escapeErrorMessage(text: string): string {
  const lines = text.trimEnd().split(/\n(?=\(Did you mean [^\n]*\)$)/)
  return `${lines.map(escapeUnsafe).join('\n')}\n`
}

export const toSafeJson = (result: object): string =>
  JSON.stringify(result).replaceAll(unsafe, (character) =>
    Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(''),
  )

const escaped = (unit: number) => String.raw`\u${unit.toString(16).padStart(4, '0')}`

/** A list becomes `one, other`, and an object `name 3, other 5`. */
function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (value instanceof Date) return toIsoSecond(value)
  if (typeof value !== 'object')
    return escapeUnsafe(typeof value === 'string' ? value : JSON.stringify(value))
  const named = ([name, part]: [string, unknown]) => `${name} ${valueText(part)}`
  const parts = Array.isArray(value) ? value.map(valueText) : Object.entries(value).map(named)
  return parts.join(', ') || 'none'
}

export const fieldLines = (result: object): string =>
  Object.entries(result)
    .map(([name, value]) => `${name}: ${hasRows(value) ? rowsOf(value) : valueText(value)}`)
    .join('\n')

const hasRows = (value: unknown): value is object[] =>
  Array.isArray(value) && typeof value[0] === 'object' && value[0] !== null

function rowsOf(rows: object[]) {
  const cells = (row: object) => Object.values(row).map((value) => (value === null ? '' : valueText(value)))
  return rows.map((row) => `\n  ${cells(row).join('  ').trimEnd()}`).join('')
}

export interface CommandColumn<Item> {
  title: string
  cell(item: Item): string | number | null
  mayShrink?: boolean
}

export const toColumn = <Item>({ label, unit, value }: ShownField<Item>): CommandColumn<Item> => ({
  title: label.toUpperCase(),
  mayShrink: unit === 'user',
  cell(item) {
    const shown = value(item)
    if (shown instanceof Date) return unit === 'date' ? toUtcDay(shown) : toIsoSecond(shown)
    if (typeof shown === 'boolean') return shown ? 'yes' : 'no'
    return shown ?? null
  },
})

const maxWidth = 120
const minShrunkWidth = 12

const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid'
const noBorders = Object.fromEntries(borders.split(' ').map((name) => [name, '']))

export function formatTable<Item>(columns: readonly CommandColumn<Item>[], items: readonly Item[]): string {
  const natural = drawTable(columns, items, [])
  const excess = natural.width - maxWidth
  const widths = columns.map((column) => {
    if (column.mayShrink !== true) return null
    return Math.max(minShrunkWidth, drawTable([column], items, []).width - excess)
  })
  const table = excess <= 0 ? natural : drawTable(columns, items, widths)
  return table.toString().replaceAll(/[^\S\n]+$/gm, '')
}

function drawTable<Item>(
  columns: readonly CommandColumn<Item>[],
  items: readonly Item[],
  colWidths: (number | null)[],
) {
  const isNumeric = ({ cell }: CommandColumn<Item>) => items.some((item) => typeof cell(item) === 'number')
  const table = new Table({
    head: columns.map(({ title }) => title),
    colAligns: columns.map((column) => (isNumeric(column) ? 'right' : 'left')),
    colWidths,
    chars: { ...noBorders, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    truncate: '...',
  })
  table.push(...items.map((item) => columns.map(({ cell }) => valueText(cell(item) ?? '-'))))
  return table
}

/** A list of objects becomes a table of its own. */
export function detailsText(result: object): string {
  const fields = Object.entries(result)
  const width = Math.max(...fields.map(([name]) => name.length))
  const line = ([name, value]: [string, unknown]) =>
    hasRows(value) ? `${name}\n${indentedTable(value)}` : `${name.padEnd(width)}  ${valueText(value)}`
  return fields.map(line).join('\n')
}

function indentedTable(rows: object[]) {
  const columns = Object.keys(rows[0] ?? {}).map((title) => ({
    title,
    cell(row: object) {
      const value: unknown = Reflect.get(row, title)
      return typeof value === 'number' || value === null ? value : valueText(value)
    },
  }))
  return formatTable(columns, rows).replaceAll(/^/gm, '  ')
}

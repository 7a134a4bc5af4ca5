import { decimal } from '../../schemas/currency.ts'
import type { Delimiter } from '../../schemas/delimiter.ts'

const csvLineEnd = '\r\n'

export type CsvCell = string | number | { centimes: number } | null

/** Excel expects semicolons, and needs the byte order mark. Other programs would take it for a part of the name. */
export const csvHeader = (names: readonly string[], delimiter: Delimiter): string =>
  `${delimiter === ';' ? '\uFEFF' : ''}${names.join(delimiter)}${csvLineEnd}`

/** People use spreadsheets, which must not run a text as a formula. A program needs every text unchanged. */
type Reader = 'people' | 'program'

/** Semicolons go with decimal commas. csv-stringify would take five times as long: most of an export. */
export const csvRows = (
  rows: readonly (readonly CsvCell[])[],
  delimiter: Delimiter,
  reader: Reader = 'people',
): string =>
  rows
    .map((row) => `${row.map((cell) => cellText(cell, delimiter, reader)).join(delimiter)}${csvLineEnd}`)
    .join('')

function cellText(cell: CsvCell, delimiter: Delimiter, reader: Reader): string {
  if (cell === null) return ''
  if (typeof cell === 'string') {
    if (harmless.test(cell)) return `"${cell}"`
    return quoted(reader === 'people' ? defuse(cell) : cell)
  }
  if (typeof cell === 'number') return String(cell)
  const text = decimal(cell.centimes)
  return delimiter === ';' ? text.replace('.', ',') : text
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

const harmless = /^[0-9A-Za-z][^",;|\t\r\n]*$/

/**
 * Matches where a formula could begin, even inside a cell: a spreadsheet that expects another delimiter splits cells.
 * The sign is optional, because otherwise the search would start over at each of many line breaks.
 */
const beginnings =
  /([,;|\t\r\n]|^)[\s\p{C}"]*([=+\-@\u2212\uFE62\uFE63\uFE66\uFE6B\uFF0B\uFF0D\uFF1D\uFF20])?/gu

const defuse = (text: string): string =>
  text.replace(/^(?=[\t\r\n])/, "'").replaceAll(beginnings, (beginning, delimiter: string, sign?: string) => {
    if (sign === undefined) return beginning
    return (delimiter === '' ? "'" : '') + beginning.replaceAll(/\r\n|[,;|\t\r\n]/g, "$&'")
  })

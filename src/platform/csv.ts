import { formatCentimes } from '../../schemas/currency.ts'
import type { CsvDelimiter } from '../../schemas/delimiter.ts'

const csvLineEnd = '\r\n'

export type CsvCell = string | number | { centimes: number } | null

/** A file with semicolons is for Excel, which needs a byte order mark. Other programs read it as text. */
export const toCsvHeader = (names: readonly string[], delimiter: CsvDelimiter): string =>
  `${delimiter === ';' ? '\uFEFF' : ''}${names.join(delimiter)}${csvLineEnd}`

/** People open files in a spreadsheet, which must not run text as a formula. Programs need unchanged text. */
type Reader = 'people' | 'program'

/** Semicolons go with decimal commas. We don't use csv-stringify, because it takes five times as long. */
export const toCsvRows = (rows: readonly CsvCell[][], delimiter: CsvDelimiter, reader: Reader = 'people') =>
  rows
    .map((row) => `${row.map((cell) => cellText(cell, delimiter, reader)).join(delimiter)}${csvLineEnd}`)
    .join('')

function cellText(cell: CsvCell, delimiter: CsvDelimiter, reader: Reader): string {
  if (cell === null) return ''
  if (typeof cell === 'string') {
    if (harmless.test(cell)) return `"${cell}"`
    return quoted(reader === 'people' ? defuse(cell) : cell)
  }
  if (typeof cell === 'number') return String(cell)
  const text = formatCentimes(cell.centimes)
  return delimiter === ';' ? text.replace('.', ',') : text
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

const harmless = /^[0-9A-Za-z][^",;|\t\r\n]*$/

/**
 * Matches where a formula could begin, even inside a cell, because a spreadsheet may split cells at a
 * delimiter that we don't use. The sign is optional so that a long run of line breaks is scanned only once.
 */
const beginnings =
  /([,;|\t\r\n]|^)[\s\p{C}"]*([=+\-@\u2212\uFE62\uFE63\uFE66\uFE6B\uFF0B\uFF0D\uFF1D\uFF20])?/gu

const defuse = (text: string): string =>
  text.replace(/^(?=[\t\r\n])/, "'").replaceAll(beginnings, (beginning, delimiter: string, sign?: string) => {
    if (sign === undefined) return beginning
    return (delimiter === '' ? "'" : '') + beginning.replaceAll(/\r\n|[,;|\t\r\n]/g, "$&'")
  })

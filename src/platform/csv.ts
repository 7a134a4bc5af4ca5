import { formatCentimes } from '../../schemas/currency.ts'
import type { CsvDelimiter, CsvForm } from '../../schemas/delimiter.ts'

const csvLineEnd = '\r\n'

export type CsvCell = string | number | { centimes: number } | null

export const toCsvHeader = (names: readonly string[], { delimiter, hasBom }: CsvForm): string =>
  `${hasBom ? '\uFEFF' : ''}${names.join(delimiter)}${csvLineEnd}`

/** A spreadsheet must not run text as a formula. Programs need it unchanged. */
type Reader = 'people' | 'program'

/** Five times as fast as csv-stringify. */
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
 * Matches where a formula could begin, even inside a cell, because some
 * spreadsheets split cells at other delimiters.
 */
const beginnings =
  /([,;|\t\r\n]|^)[\s\p{C}"]*([=+\-@\u2212\uFE62\uFE63\uFE66\uFE6B\uFF0B\uFF0D\uFF1D\uFF20])?/gu

const defuse = (text: string): string =>
  text.replace(/^(?=[\t\r\n])/, "'").replaceAll(beginnings, (beginning, delimiter: string, sign?: string) => {
    if (sign === undefined) return beginning
    return (delimiter === '' ? "'" : '') + beginning.replaceAll(/\r\n|[,;|\t\r\n]/g, "$&'")
  })

/** Excel shows long numbers so, and then saves them so. */
export const isShortenedNumber = (text: string): boolean => /^\d([.,]\d+)?E\+\d{2,3}$/i.test(text)

export const isUtf16 = ([first, second]: Uint8Array): boolean =>
  first === 0 || second === 0 || (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)

import { decimal } from '../../schemas/currency.ts'
import type { Delimiter } from '../../schemas/delimiter.ts'

/** The end of a line of a CSV file (RFC 4180). */
const lineEnd = '\r\n'

/** A value of a CSV file. An amount in centimes becomes a decimal number, and null a blank cell. */
export type Cell = string | number | { centimes: number } | null

/**
 * Returns the header row. If the delimiter is a semicolon, the row begins with a byte order mark, because Excel
 * recognises UTF-8 only by this mark. With commas, the mark is omitted, because other programs would read it as part of
 * the first column's name. The names must not contain a delimiter, a quote or a line break.
 */
export const csvHeader = (names: readonly string[], delimiter: Delimiter): string =>
  `${delimiter === ';' ? '\uFEFF' : ''}${names.join(delimiter)}${lineEnd}`

/** Who reads a file: people with a spreadsheet, or a program that needs every text unchanged. */
type Reader = 'people' | 'program'

/**
 * Returns rows as CSV text. Every string is quoted and, if people read the file, no spreadsheet executes it as a
 * formula. Numbers are not quoted. With semicolons, a decimal number has a comma, because the spreadsheet programs that
 * expect semicolons expect decimal commas as well. The package csv-stringify would take five times as long, which would
 * be most of the time of an export.
 */
export const csvRows = (rows: readonly (readonly Cell[])[], delimiter: Delimiter, reader: Reader = 'people'): string =>
  rows.map((row) => `${row.map((cell) => cellText(cell, delimiter, reader)).join(delimiter)}${lineEnd}`).join('')

function cellText(cell: Cell, delimiter: Delimiter, reader: Reader): string {
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

/** Matches most texts that need no changes. */
const harmless = /^[0-9A-Za-z][^",;|\t\r\n]*$/

/**
 * The beginning of the text, or a delimiter or line break within it, the blanks, quotes and invisible characters behind
 * it, and the next character if it makes a spreadsheet execute what follows. A spreadsheet that expects another
 * delimiter splits a cell and removes quotes, so a formula could also begin behind a delimiter or a line break. The
 * last part is optional, so that each character is read once: a search for formulas would begin again at each of many
 * line breaks.
 */
const beginnings = /([,;|\t\r\n]|^)[\s\p{C}"]*([=+\-@\u2212\uFE62\uFE63\uFE66\uFE6B\uFF0B\uFF0D\uFF1D\uFF20])?/gu

/**
 * Inserts a single quote wherever a spreadsheet could begin a formula, so that it shows the text instead. A cell that
 * begins with a tab or a line break also gets a single quote.
 */
const defuse = (text: string): string =>
  text.replace(/^(?=[\t\r\n])/, "'").replaceAll(beginnings, (beginning, delimiter: string, sign?: string) => {
    if (sign === undefined) return beginning
    return (delimiter === '' ? "'" : '') + beginning.replaceAll(/\r\n|[,;|\t\r\n]/g, "$&'")
  })

import { decimal } from '../../schemas/currency.ts'
import type { Delimiter } from '../../schemas/delimiter.ts'

/** RFC 4180. */
export const lineEnd = '\r\n'

/** Centimes become a decimal number, null a blank cell. */
export type Cell = string | number | { centimes: number } | null

/**
 * With semicolons it begins with a byte order mark, by which alone Excel recognises UTF-8. With commas it doesn't,
 * because other programs would read the mark as part of the first name. Names mustn't need quoting.
 */
export const csvHeader = (names: readonly string[], delimiter: Delimiter): string =>
  `${delimiter === ';' ? '\uFEFF' : ''}${names.join(delimiter)}${lineEnd}`

/**
 * Strings are quoted, and no spreadsheet runs them as a formula; numbers aren't. Programs that expect semicolons also
 * expect decimal commas. csv-stringify would take five times as long, most of an export.
 */
export const csvRows = (rows: readonly (readonly Cell[])[], delimiter: Delimiter): string =>
  rows.map((row) => `${row.map((cell) => cellText(cell, delimiter)).join(delimiter)}${lineEnd}`).join('')

function cellText(cell: Cell, delimiter: Delimiter): string {
  if (cell === null) return ''
  if (typeof cell === 'string') return harmless.test(cell) ? `"${cell}"` : quoted(defuse(cell))
  if (typeof cell === 'number') return String(cell)
  const text = decimal(cell.centimes)
  return delimiter === ';' ? text.replace('.', ',') : text
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** Most texts, which need no change. */
const harmless = /^[0-9A-Za-z][^",;\t\r\n]*$/

/**
 * A beginning (of the text, or after a delimiter or line break), the blanks and invisible characters after it, and the
 * sign that would start a formula. Another spreadsheet's delimiter may split a cell, so formulas can begin inside. The
 * sign is optional so that each character is read once; otherwise the search would begin again at each of many line
 * breaks.
 */
const beginnings = /([,;\t\r\n]|^)[\s\p{C}]*([=+\-@\u2212\uFE62\uFE63\uFE66\uFE6B\uFF0B\uFF0D\uFF1D\uFF20])?/gu

/**
 * Puts a single quote before everything that a spreadsheet could read as a formula, and before a leading tab or line
 * break.
 */
const defuse = (text: string): string =>
  text.replace(/^(?=[\t\r\n])/, "'").replaceAll(beginnings, (beginning, delimiter: string, sign?: string) => {
    if (sign === undefined) return beginning
    return (delimiter === '' ? "'" : '') + beginning.replaceAll(/\r\n|[,;\t\r\n]/g, "$&'")
  })

import { decimal } from '../../schemas/currency.ts'
import type { Delimiter } from '../../schemas/delimiter.ts'

/** Required by RFC 4180. */
const csvLineEnd = '\r\n'

/** An amount in centimes becomes a decimal number, and null a blank cell. */
export type CsvCell = string | number | { centimes: number } | null

/**
 * With semicolons, the header begins with a byte order mark, because that's how Excel recognises UTF-8. With commas it
 * doesn't, because other programs would take the mark for a part of the first name. Names must not need quoting.
 */
export const csvHeader = (names: readonly string[], delimiter: Delimiter): string =>
  `${delimiter === ';' ? '\uFEFF' : ''}${names.join(delimiter)}${csvLineEnd}`

/** Who reads a file: people with a spreadsheet, or a program that needs every text unchanged. */
type Reader = 'people' | 'program'

/**
 * Strings are quoted and, for people, changed so that no spreadsheet runs them as a formula. Numbers aren't quoted.
 * Programs that expect semicolons also expect decimal commas. With csv-stringify, this would take five times as long:
 * most of an export.
 */
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

/** Matches most texts that need no changes. */
const harmless = /^[0-9A-Za-z][^",;|\t\r\n]*$/

/**
 * Matches the beginning of the text, or a delimiter or line break in it, then blanks, quotes and invisible characters,
 * then the sign that would start a formula. A spreadsheet that expects another delimiter splits cells and removes
 * quotes, so a formula could also begin inside one. The sign is optional so that each character is read only once;
 * otherwise the search would start over at each of many line breaks.
 */
const beginnings =
  /([,;|\t\r\n]|^)[\s\p{C}"]*([=+\-@\u2212\uFE62\uFE63\uFE66\uFE6B\uFF0B\uFF0D\uFF1D\uFF20])?/gu

/** Puts a single quote before anything that could start a formula, and before a leading tab or line break. */
const defuse = (text: string): string =>
  text.replace(/^(?=[\t\r\n])/, "'").replaceAll(beginnings, (beginning, delimiter: string, sign?: string) => {
    if (sign === undefined) return beginning
    return (delimiter === '' ? "'" : '') + beginning.replaceAll(/\r\n|[,;|\t\r\n]/g, "$&'")
  })

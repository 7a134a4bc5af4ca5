import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import type { CsvDelimiter } from '../../../schemas/delimiter.ts'
import { normaliseName } from '../../input/name.ts'
import { isUtf16 } from '../../platform/csv.ts'
import type { Deps } from '../../platform/deps.ts'
import { type Refusal, refuse } from '../../platform/errors.ts'
import { streamChunks } from '../../platform/in-slices.ts'
import type { CellParsers, CsvErrors, ParsedCells, ProductColumn, ProductRow } from './rows.ts'
import { createCellParsers, createCsvErrors, maxImportRows, productColumns } from './rows.ts'

/** Triple the longest valid row. A longer row probably has an open quote. */
const maxRowBytes = 64 * 1024

/** Ends early if `take` returns false. Row numbers include empty lines. */
async function readRecords(
  bytes: Buffer,
  delimiter: CsvDelimiter,
  take: (cells: string[], row: number) => boolean,
  faults: CsvErrors,
): Promise<void> {
  const longLine = await findLongLine(bytes)
  if (longLine !== null) return faults.add(longLine, null, tooLong)
  const parser = parse({
    delimiter,
    // Line endings may be mixed, e.g. after an edit in another program.
    record_delimiter: ['\r\n', '\n', '\r'],
    // `readRow` reports rows with too many cells.
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRowBytes,
    on_record: (cells: string[], { records, empty_lines }) => {
      if (!take(cells, records + empty_lines)) throw stopped
      return null
    },
  })
  try {
    await pipeline(Readable.from(streamChunks(bytes)), parser)
  } catch (error) {
    if (error === stopped) return
    if (!(error instanceof CsvError)) throw error
    const row = Number(error.records) + Number(error.empty_lines) + 1
    faults.add(row, null, messagesOfParser[error.code] ?? 'This row is not valid CSV.')
  }
}

/** Needed because csv-parse doesn't limit the number of cells per row. */
async function findLongLine(bytes: Buffer): Promise<number | null> {
  let at = 0
  while (at + maxRowBytes < bytes.length) {
    const slice = bytes.subarray(at, at + maxRowBytes + 1)
    const end = Math.max(slice.lastIndexOf(lineFeed), slice.lastIndexOf(carriageReturn))
    if (end < 0) return (await countLineBreaks(bytes.subarray(0, at))) + 1
    at += end + 1
  }
  return null
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** CR LF counts as one line break. */
async function countLineBreaks(bytes: Buffer): Promise<number> {
  let count = 0
  let last = 0
  for await (const chunk of streamChunks(bytes))
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number
      if (byte === lineFeed ? last !== carriageReturn : byte === carriageReturn) count += 1
      last = byte
    }
  return count
}

const stopped = new Error('the reader stopped before the end of the file')

const quoting = 'Put a cell that contains a quote in quotes, and double the quote inside it.'
const unread = 'The rows below it were not read.'

const tooLong = `This row is too long. A closing quote may be missing. ${unread}`

const messagesOfParser: Partial<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: `The closing quote is missing. ${unread}`,
  CSV_INVALID_CLOSING_QUOTE: `${quoting} ${unread}`,
  INVALID_OPENING_QUOTE: `${quoting} ${unread}`,
  CSV_MAX_RECORD_SIZE: tooLong,
}

/** Some spreadsheet programs write thousands of blank rows at the end. */
const maxBlankRows = 50_000

/** Throws one error that lists all invalid rows. */
export async function parseProductCsv(deps: Pick<Deps, 'config'>, csv: unknown): Promise<ProductRow[]> {
  const bytes = bytesOf(csv)
  const firstLine = firstLineOf(bytes)
  const readers = createCellParsers(deps.config.maxAmount)
  const faults = createCsvErrors()
  const rows: (ProductRow | null)[] = []
  let header: Header | null = null
  let blankRows = 0
  let lastRow = 0

  const take = (cells: string[], row: number): boolean => {
    lastRow = row
    if (row === 1) header = readHeader(cells, faults)
    else if (header !== null && cells.every(isBlank)) blankRows += 1
    else if (header !== null) rows.push(readRow(header, readers, cells, row, faults))
    return header !== null && rows.length <= maxImportRows && blankRows <= maxBlankRows
  }
  if (isBlank(firstLine)) readHeader([], faults)
  else await readRecords(bytes, delimiterOf(firstLine), take, faults)

  if (rows.length > maxImportRows)
    faults.add(lastRow, null, `A file can have at most ${maxImportRows} rows below the header.`)
  if (blankRows > maxBlankRows)
    faults.add(lastRow, null, `A file can have at most ${maxBlankRows} blank rows.`)
  faults.refuseIfAny()
  return rows.filter((row) => row !== null)
}

const isBlank = (text: string): boolean => text.trim() === ''

/** Some spreadsheets omit blank cells at the end of a row. */
function readRow(header: Header, readers: CellParsers, cells: string[], row: number, faults: CsvErrors) {
  const shape = faultOfShape(header, cells)
  if (shape !== null) {
    faults.add(row, null, shape)
    return null
  }
  const read = (column: ProductColumn) => {
    const text = cells[header.indexes[column] ?? cells.length] ?? ''
    if (isBlank(text)) return null
    const cell = readers[column](text)
    if ('value' in cell) return cell.value
    faults.add(row, column, cell.message, cell.code)
    return null
  }
  if (isBlank(cells[header.indexes.handle] ?? ''))
    faults.add(row, 'handle', 'The handle is required. Rows with the same handle form one product.')
  const values = Object.fromEntries(
    productColumns.map((column) => [column, read(column)]),
  ) as unknown as ParsedCells
  return { row, ...values, handle: values.handle ?? '' }
}

function faultOfShape({ width, unnamed }: Header, cells: string[]): string | null {
  if (cells.length > width)
    return `The row has ${cells.length} cells, but the header has ${width}. Put a cell that contains the delimiter in quotes.`
  const index = unnamed.find((each) => !isBlank(cells[each] ?? ''))
  return index === undefined ? null : `Cell ${index + 1} of this row is in a column without a name.`
}

const utf8Bom = Buffer.from('\uFEFF')
const advice =
  'Save it as UTF-8. In Excel, choose "CSV UTF-8 (Comma delimited)". In LibreOffice, choose the character set "Unicode (UTF-8)".'

/** Throws VALIDATION_ERROR for any encoding other than UTF-8. */
function bytesOf(csv: unknown): Buffer {
  if (csv === undefined) throw fault('csv is required.')
  if (typeof csv === 'string') {
    // `Buffer.from` would silently replace a lone surrogate.
    if (!csv.isWellFormed()) throw fault('csv must be valid Unicode.')
    return withoutBom(Buffer.from(csv))
  }
  if (!Buffer.isBuffer(csv)) throw fault('csv must be text.')
  if (isUtf16(csv)) throw fault(`The file is UTF-16. ${advice}`)
  if (!isUtf8(csv)) throw fault(`The file is not UTF-8. ${advice}`)
  return withoutBom(csv)
}

const withoutBom = (bytes: Buffer): Buffer =>
  bytes.subarray(0, utf8Bom.length).equals(utf8Bom) ? bytes.subarray(utf8Bom.length) : bytes

const fault = (message: string): Refusal => refuse('VALIDATION_ERROR', { param: 'csv', message })

interface Header {
  indexes: Partial<Record<ProductColumn, number>> & { handle: number }
  width: number
  unnamed: number[]
}

const maxCells = 100
/** About ten times the longest possible header. */
const firstLineBytes = 1024

const firstLineOf = (bytes: Buffer): string =>
  bytes.toString('utf8', 0, firstLineBytes).split(/[\r\n]/, 1)[0] ?? ''

const delimiterOf = (firstLine: string): CsvDelimiter =>
  firstLine.split(';').length > firstLine.split(',').length ? ';' : ','

function readHeader(cells: readonly string[], faults: CsvErrors): Header | null {
  const names = cells.map((cell) => {
    const name = normaliseName('name', cell)?.toLowerCase() ?? ''
    return isColumn(name) ? name : cell.trim().toLowerCase()
  })
  const messages = faultsOf(names)
  for (const message of messages) faults.add(1, null, message)
  if (messages.length > 0) return null
  const named = names.flatMap((name, index) => (isColumn(name) ? [[name, index]] : []))
  return {
    indexes: Object.fromEntries(named),
    width: names.length,
    unnamed: names.flatMap((name, index) => (name === '' ? [index] : [])),
  }
}

const expected = `The first row must contain column names, separated by commas or semicolons. The columns are ${productColumns.join(', ')}.`

function faultsOf(names: string[]): string[] {
  if (names.every((name) => name === '')) return [`The first row is blank. ${expected}`]
  if (names.length > maxCells) return [`The first row has ${names.length} cells. ${expected}`]
  const unknown = names.filter((name) => name !== '' && !isColumn(name))
  const repeated = names.filter((name, index) => isColumn(name) && names.indexOf(name) !== index)
  return [
    ...(names[0] === 'sep=' ? ['Remove the sep= line, which only Excel understands.'] : []),
    ...(unknown.length === 0 ? [] : [unknownColumns(unknown)]),
    ...new Set(repeated.map((name) => `The column ${name} occurs more than once.`)),
    ...(names.includes('handle') ? [] : ['The column handle is missing.']),
  ]
}

const maxNamed = 10

/** A shop system's export has dozens of columns that we don't know. */
function unknownColumns(names: string[]): string {
  const named = names.slice(0, maxNamed).map((name) => JSON.stringify(name.slice(0, 100)))
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''
  const columns = names.length === 1 ? 'column' : 'columns'
  return `Unknown ${columns}: ${named.join(', ')}${more}. ${expected}`
}

const isColumn = (name: string): name is ProductColumn => (productColumns as readonly string[]).includes(name)

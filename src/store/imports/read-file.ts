import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { readName } from '../../input/name.ts'
import type { Deps } from '../../platform/deps.ts'
import { type Refusal, refuse } from '../../platform/errors.ts'
import { inChunks } from '../../platform/in-slices.ts'
import {
  type CellParsers,
  type Cells,
  type Column,
  type ColumnValues,
  createCellParsers,
  createFaults,
  type Faults,
  maxRows,
  type ProductRow,
  productColumns,
} from './rows.ts'

/** Three times the longest valid row. In a longer one, a closing quote is most likely missing. */
const maxRowBytes = 64 * 1024

/**
 * Passes each row with its number to `take`, until that returns false. Empty lines are skipped, but they count. If the
 * file isn't valid CSV, adds a fault.
 */
export async function readRecords(
  bytes: Buffer,
  delimiter: string,
  take: (cells: string[], row: number) => boolean,
  faults: Faults,
): Promise<void> {
  const longLine = await findLongLine(bytes)
  if (longLine !== null) return faults.add({ row: longLine, column: null, message: tooLong })
  const parser = parse({
    delimiter,
    // Line endings may be mixed, for example if the file was edited in a different program.
    record_delimiter: ['\r\n', '\n', '\r'],
    // The parser accepts rows with the wrong number of cells, because `readRow` reports them.
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRowBytes,
    on_record: (cells: string[], { records, empty_lines }) => {
      if (!take(cells, records + empty_lines)) throw stopped
      return null
    },
  })
  try {
    await pipeline(Readable.from(inChunks(bytes)), parser)
  } catch (error) {
    if (error === stopped) return
    if (!(error instanceof CsvError)) throw error
    const row = Number(error.records) + Number(error.empty_lines) + 1
    faults.add({ row, column: null, message: messagesOfParser[error.code] ?? 'This row is not valid CSV.' })
  }
}

/**
 * Number of the first line over the limit, or null. csv-parse applies its own limit only to the text in the cells, so
 * it doesn't limit the number of cells.
 */
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

/** CR LF counts as one. */
async function countLineBreaks(bytes: Buffer): Promise<number> {
  let count = 0
  let last = 0
  for await (const chunk of inChunks(bytes))
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number
      if (byte === lineFeed ? last !== carriageReturn : byte === carriageReturn) count += 1
      last = byte
    }
  return count
}

const stopped = new Error('the reader stopped before the end of the file')

const quoting = 'Put a cell that contains a quote in quotes, and write the quote inside it twice.'
const unread = 'The rows below it were not read.'

const tooLong = `This row is too long. A closing quote may be missing. ${unread}`

const messagesOfParser: Partial<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: `The closing quote is missing. ${unread}`,
  CSV_INVALID_CLOSING_QUOTE: `${quoting} ${unread}`,
  INVALID_OPENING_QUOTE: `${quoting} ${unread}`,
  CSV_MAX_RECORD_SIZE: tooLong,
}

/** Some spreadsheet programs write thousands of blank rows at the end. A million would only waste time. */
const maxBlankRows = 50_000

/**
 * Reads the rows from bytes or a string. Blank rows are skipped, but they count towards the row numbers, as in a
 * spreadsheet. Throws a single error with all faults of rows. Doesn't compare rows with each other.
 */
export async function readRows(deps: Pick<Deps, 'config'>, csv: unknown): Promise<ProductRow[]> {
  const bytes = bytesOf(csv)
  const firstLine = firstLineOf(bytes)
  const readers = createCellParsers(deps.config.maxAmount)
  const faults = createFaults()
  const rows: (ProductRow | null)[] = []
  let header: Header | null = null
  let blankRows = 0
  let lastRow = 0

  const take = (cells: string[], row: number): boolean => {
    lastRow = row
    if (row === 1) header = readHeader(cells, faults)
    else if (header !== null && cells.every(isBlank)) blankRows += 1
    else if (header !== null) rows.push(readRow(header, readers, cells, row, faults))
    return header !== null && rows.length <= maxRows && blankRows <= maxBlankRows
  }
  if (isBlank(firstLine)) readHeader([], faults)
  else await readRecords(bytes, delimiterOf(firstLine), take, faults)

  if (rows.length > maxRows)
    faults.add(tooMany(lastRow, `A file can have at most ${maxRows} rows below the header.`))
  if (blankRows > maxBlankRows)
    faults.add(tooMany(lastRow, `A file can have at most ${maxBlankRows} blank rows.`))
  faults.refuseIfAny()
  return rows.filter((row) => row !== null)
}

/** `row` is the first one beyond the limit. The rows below it haven't been read. */
const tooMany = (row: number, message: string) => ({ row, column: null, message })

const isBlank = (text: string): boolean => text.trim() === ''

/**
 * Blank cells at the end of the row may be missing, because some spreadsheets omit them. Adds a fault for each invalid
 * cell. If the row doesn't fit the header, adds one and returns null.
 */
function readRow(
  header: Header,
  readers: CellParsers,
  cells: string[],
  row: number,
  faults: Faults,
): ProductRow | null {
  const shape = faultOfShape(header, cells)
  if (shape !== null) {
    faults.add({ row, column: null, message: shape })
    return null
  }
  const read = <C extends Column>(column: C): ColumnValues[C] | null => {
    const text = cells[header.indexes[column] ?? cells.length] ?? ''
    if (isBlank(text)) return null
    const cell = readers[column](text)
    if ('value' in cell) return cell.value
    faults.add({ row, column, ...cell })
    return null
  }
  if (isBlank(cells[header.indexes.handle] ?? ''))
    faults.add({
      row,
      column: 'handle',
      message: 'The handle is required. Rows with the same handle are one product.',
    })
  const values = Object.fromEntries(
    productColumns.map((column) => [column, read(column)]),
  ) as unknown as Cells
  return { row, ...values, handle: values.handle ?? '' }
}

function faultOfShape({ width, unnamed }: Header, cells: string[]): string | null {
  if (cells.length > width)
    return `The row has ${cells.length} cells, but the header has ${width}. Put a cell that contains the delimiter in quotes.`
  const index = unnamed.find((each) => !isBlank(cells[each] ?? ''))
  return index === undefined ? null : `Cell ${index + 1} of this row is in a column without a name.`
}

const utf8Bom = Buffer.from('\uFEFF')
const utf16Boms = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])]
const advice =
  'Save it as UTF-8. In Excel, choose "CSV UTF-8 (Comma delimited)". In LibreOffice, choose the character set "Unicode (UTF-8)".'

/** UTF-8 without a byte order mark. Throws VALIDATION_ERROR if the file is missing, isn't text, or isn't UTF-8. */
function bytesOf(csv: unknown): Buffer {
  if (csv === undefined) throw fault('csv is required.')
  if (typeof csv === 'string') return withoutBom(encoded(csv))
  if (!Buffer.isBuffer(csv)) throw fault('csv must be text.')
  if (isUtf16(csv)) throw fault(`The file is UTF-16. ${advice}`)
  if (!isUtf8(csv)) throw fault(`The file is not UTF-8. ${advice}`)
  return withoutBom(csv)
}

/** Throws VALIDATION_ERROR for a lone surrogate, which `Buffer.from` would silently replace. */
function encoded(text: string): Buffer {
  if (!text.isWellFormed()) throw fault('csv must be valid Unicode.')
  return Buffer.from(text)
}

/** Most likely UTF-16 if it begins with a UTF-16 byte order mark, or one of its first two bytes is zero. */
const isUtf16 = (bytes: Buffer): boolean =>
  bytes[0] === 0 || bytes[1] === 0 || utf16Boms.some((bom) => bytes.subarray(0, 2).equals(bom))

const withoutBom = (bytes: Buffer): Buffer =>
  bytes.subarray(0, utf8Bom.length).equals(utf8Bom) ? bytes.subarray(utf8Bom.length) : bytes

const fault = (message: string): Refusal => refuse('VALIDATION_ERROR', { param: 'csv', message })

export interface Header {
  /** Index of each column in a row. */
  indexes: Partial<Record<Column, number>> & { handle: number }
  width: number
  /** Indexes of columns with a blank name. */
  unnamed: number[]
}

/** A row with more cells can't be a header. */
const maxCells = 100
/** Where to look for the delimiter: about ten times the longest possible header. */
const firstLineBytes = 1024

/** Cut if it's very long: the rest isn't needed to recognise the delimiter. */
export const firstLineOf = (bytes: Buffer): string =>
  bytes.toString('utf8', 0, firstLineBytes).split(/[\r\n]/, 1)[0] ?? ''

/** Whichever occurs more often. A tie goes to the comma. */
export const delimiterOf = (firstLine: string): ';' | ',' =>
  firstLine.split(';').length > firstLine.split(',').length ? ';' : ','

/** Column names may be in any order and in any case. If the header is invalid, adds faults and returns null. */
export function readHeader(cells: readonly string[], faults: Faults): Header | null {
  const names = cells.map((cell) => {
    const name = readName('name', cell)?.toLowerCase() ?? ''
    return isColumn(name) ? name : cell.trim().toLowerCase()
  })
  const messages = faultsOf(names)
  for (const message of messages) faults.add({ row: 1, column: null, message })
  if (messages.length > 0) return null
  const named = names.flatMap((name, index) => (isColumn(name) ? [[name, index]] : []))
  return {
    indexes: Object.fromEntries(named),
    width: names.length,
    unnamed: names.flatMap((name, index) => (name === '' ? [index] : [])),
  }
}

const expected = `The first row must name columns, separated by commas or semicolons. The columns are ${productColumns.join(', ')}.`

function faultsOf(names: string[]): string[] {
  if (names.every((name) => name === '')) return [`The first row is blank. ${expected}`]
  if (names.length > maxCells) return [`The first row has ${names.length} cells. ${expected}`]
  const unknown = names.filter((name) => name !== '' && !isColumn(name))
  const repeated = names.filter((name, index) => isColumn(name) && names.indexOf(name) !== index)
  return [
    ...(names[0] === 'sep=' ? ['Remove the line sep=, which only Excel understands.'] : []),
    ...unknown.map((name) => `There is no column ${JSON.stringify(name.slice(0, 100))}. ${expected}`),
    ...[...new Set(repeated)].map((name) => `The column ${name} occurs more than once.`),
    ...(names.includes('handle') ? [] : ['The column handle is missing.']),
  ]
}

const isColumn = (name: string): name is Column => (productColumns as readonly string[]).includes(name)

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { readInstant } from '../input/instant.ts'

/** The names of the columns of a provider's file. */
export const columnNames = ['key', 'kind', 'amount', 'fee', 'time'] as const
type ColumnName = (typeof columnNames)[number]

/** The columns that a file may lack. */
const optional: readonly ColumnName[] = ['kind', 'fee']

/** The header of each column that was named with `--columns`. */
export type Headers = Partial<Record<ColumnName, string>>

/** The position of each column in a row. */
type ColumnPositions = Partial<Record<ColumnName, number>> & Record<'key' | 'amount' | 'time', number>

/**
 * Finds the columns in the header row. The header of a column that `named` does not contain is the column's own name.
 * Returns an error message if a column is missing or occurs twice. Only `kind` and `fee` may be missing, and only if
 * `named` does not contain them.
 */
export function findColumns(cells: readonly string[], named: Headers): ColumnPositions | string {
  const titles = cells.map((cell) => cell.trim())
  const positions: Partial<Record<ColumnName, number>> = {}
  for (const name of columnNames) {
    const header = named[name] ?? name
    const at = titles.indexOf(header)
    if (at >= 0 && titles.includes(header, at + 1)) return `The file has two columns "${header}".`
    if (at >= 0) positions[name] = at
    else if (named[name] !== undefined || !optional.includes(name))
      return `The file has no column "${header}" for the ${name}. Its first line is: ${titles.map(shown).join(' | ')}. Name the columns with --columns.`
  }
  return positions as ColumnPositions
}

/** Hides a cell with many digits, because a file without a header may begin with a phone number. */
const shown = (title: string): string => (/\d{8}/.test(title) ? '…' : title.slice(0, 40))

/** The spaces that separate groups of three digits: ordinary, non-breaking, narrow and thin. */
const space = String.raw`[ \u00a0\u202f\u2009]`
const decimals = String.raw`(\d{1,2})`

/**
 * The forms of a decimal amount. A comma or a point followed by three digits is accepted only if the other character
 * marks the decimals, because `1,234` alone could mean either 1 234 or 1.234.
 */
const forms = [
  String.raw`(\d+)(?:[.,]${decimals})?`,
  String.raw`(\d{1,3}(?:${space}\d{3})+)(?:[.,]${decimals})?`,
  String.raw`(\d{1,3}(?:,\d{3})+)\.${decimals}`,
  String.raw`(\d{1,3}(?:\.\d{3})+),${decimals}`,
].map((form) => new RegExp(`^${form}$`, 'u'))

/** Parses a whole number of centimes. Returns null for any other text, and for a number that is not exact. */
export const readCentimes = (text: string): number | null => (/^\d+$/.test(text) ? exact(text) : null)

/**
 * Parses an amount with up to two decimals, such as `1234.50` or `1 234,50`, and returns it in centimes. All digits are
 * read as one whole number, so nothing is rounded. Returns null for any other text, and for a number that is not exact.
 */
export function readDecimal(text: string): number | null {
  for (const form of forms) {
    const [, units, cents = ''] = form.exec(text) ?? []
    if (units !== undefined) return exact(units.replaceAll(/\D/gu, '') + cents.padEnd(2, '0'))
  }
  return null
}

function exact(digits: string): number | null {
  const amount = Number(digits)
  return Number.isSafeInteger(amount) ? amount : null
}

export type MoneyKind = 'payment' | 'refund'

/** A row of a provider's file. `fee` and `kind` are null if the file does not contain them. */
export interface Row {
  line: number
  key: string
  kind: MoneyKind | null
  /** The amount in centimes. */
  amount: number
  /** The fee in centimes. */
  fee: number | null
  at: Date
}

/** A fault in a row. The message never repeats a cell, because a cell may contain a phone number. */
export interface RowFault {
  line: number
  message: string
}

export interface RowFormat {
  columns: ColumnPositions
  /** The number of cells of the header row. */
  width: number
  /** Whether amounts have decimals. Otherwise, they are in centimes. */
  isDecimal: boolean
}

/** The maximum length of a wallet's key (docs/operators/wallet-provider.md). */
const maxKeyLength = 64

/** Parses a row. Returns an error message if it has a fault. */
export function readRow(cells: readonly string[], line: number, format: RowFormat): Row | string {
  if (cells.length !== format.width) return `has ${cells.length} cells, but the first line has ${format.width}.`
  const cell = (name: ColumnName): string | null => {
    const at = format.columns[name]
    return at === undefined ? null : (cells[at] ?? '').trim()
  }
  const key = cell('key') ?? ''
  if (key === '' || key.length > maxKeyLength || /[\s\p{C}]/u.test(key))
    return `key: must be 1 to ${maxKeyLength} characters without spaces.`
  // The keys are stored, but phone numbers must never be stored.
  if (/^\+?\d{8,15}$/.test(key)) return 'key: looks like a phone number. Check --columns.'
  const at = readInstant((cell('time') ?? '').replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T'), 'start')
  if (at === null) return 'time: must be an ISO 8601 date or date-time.'
  const read = format.isDecimal ? readDecimal : readCentimes
  const fault = (name: ColumnName): string =>
    format.isDecimal
      ? `${name}: must be an amount with up to two decimals, such as 1234.50 or 1 234,50.`
      : `${name}: must be a whole number of centimes. If it has decimals, use --decimal.`
  const signed = cell('amount') ?? ''
  const isNegative = signed.startsWith('-')
  const amount = read(isNegative ? signed.slice(1) : signed)
  if (amount === null) return fault('amount')
  const feeCell = cell('fee')
  const fee = feeCell === null ? null : read(feeCell)
  if (feeCell !== null && fee === null) return fault('fee')
  const kind = readKind(cell('kind'), isNegative)
  if (kind === 'faulty') return 'kind: must be payment or refund, and the amount of a payment has no minus.'
  return { line, key, kind, amount, fee, at }
}

/** Reads the kind. A minus before the amount marks a refund. */
function readKind(text: string | null, isNegative: boolean): MoneyKind | null | 'faulty' {
  if (text === null) return isNegative ? 'refund' : null
  const kind = text.toLowerCase()
  if (kind !== 'payment' && kind !== 'refund') return 'faulty'
  return isNegative && kind === 'payment' ? 'faulty' : kind
}

export const delimiters = [',', ';', '\t'] as const

/** How to read a provider's file. If `delimiter` is null, the first line decides. */
export interface FileFormat {
  columns: Headers
  isDecimal: boolean
  delimiter: (typeof delimiters)[number] | null
}

/** A fault of the whole file, such as a missing column. */
export class FileFault extends Error {}

/** The maximum length of a row in characters. If a row is longer, a closing quote is most likely missing. */
const maxRowLength = 64 * 1024
/** The maximum number of faulty rows that are listed. All of them are counted. */
const maxFaults = 20

/** The faulty rows of a file: the first ones, and how many there are. */
export interface RowFaults {
  listed: RowFault[]
  count: number
}

/**
 * Reads a provider's file piece by piece, and passes batches of up to `batchSize` rows to `take` in order. After the
 * first faulty row, no more rows are passed, but the rest of the file is still checked. Returns the faulty rows. Throws
 * FileFault if the file as a whole cannot be read.
 */
export async function readFile(
  bytes: AsyncIterable<Uint8Array>,
  format: FileFormat,
  batchSize: number,
  take: (rows: Row[]) => Promise<void>,
): Promise<RowFaults> {
  const rest = decoded(bytes)
  const head = await readHead(rest)
  const whole = async function* () {
    yield head
    yield* rest
  }
  const parser = parse({
    delimiter: format.delimiter ?? detectDelimiter(head),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRowLength,
    info: true,
  })
  const faults: RowFaults = { listed: [], count: 0 }
  let rowFormat: RowFormat | null = null
  let rows: Row[] = []
  const takeRecord = async (cells: string[], line: number): Promise<void> => {
    if (rowFormat === null) {
      rowFormat = formatOf(cells, format)
      return
    }
    const row = readRow(cells, line, rowFormat)
    if (typeof row === 'string') {
      faults.count += 1
      if (faults.listed.length < maxFaults) faults.listed.push({ line, message: row })
    } else if (faults.count === 0 && rows.push(row) === batchSize) {
      await take(rows)
      rows = []
    }
  }
  await parseAll(Readable.from(whole()), parser, takeRecord)
  if (rowFormat === null) throw new FileFault('The file is empty.')
  if (faults.count === 0 && rows.length > 0) await take(rows)
  return faults
}

async function parseAll(
  text: Readable,
  parser: ReturnType<typeof parse>,
  take: (cells: string[], line: number) => Promise<void>,
): Promise<void> {
  // If `take` throws, the pipeline may report an abort instead of that error.
  let failure: unknown
  const failed = (error: unknown): never => {
    failure = error
    throw error
  }
  try {
    await pipeline(text, parser, async (records: AsyncIterable<{ record: string[]; info: { lines: number } }>) => {
      for await (const { record, info } of records) await take(record, info.lines).catch(failed)
    })
  } catch (error) {
    if (failure !== undefined) throw failure
    if (!(error instanceof CsvError)) throw error
    throw new FileFault(
      `Line ${String(error['lines'])} is not valid CSV (${error.code}). A quote may be missing, or --delimiter may be wrong.`,
    )
  }
}

function formatOf(cells: readonly string[], { columns: headers, isDecimal }: FileFormat): RowFormat {
  const columns = findColumns(cells, headers)
  if (typeof columns === 'string') throw new FileFault(columns)
  return { columns, width: cells.length, isDecimal }
}

/** Decodes UTF-8 without its byte order mark. Throws FileFault if the bytes are not UTF-8. */
async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined })
    } catch {
      throw new FileFault('The file is not UTF-8 text. Save it as CSV in UTF-8.')
    }
  }
  for await (const piece of bytes) yield decode(piece)
  yield decode()
}

/** Reads the beginning of a text, up to the end of its first line with text. `text` then yields what follows. */
async function readHead(text: AsyncGenerator<string, void, undefined>): Promise<string> {
  let head = ''
  while (!/\S[^\r\n]*[\r\n]/.test(head) && head.length < maxRowLength) {
    const { done, value } = await text.next()
    if (done === true) break
    head += value
  }
  return head
}

/** Returns the delimiter that occurs most often outside the quotes of the first line. */
function detectDelimiter(head: string): string {
  const [line = ''] = head
    .trimStart()
    .replaceAll(/"[^"]*"/g, '')
    .split(/[\r\n]/, 1)
  const countOf = (delimiter: string): number => line.split(delimiter).length
  return delimiters.reduce((best, each) => (countOf(each) > countOf(best) ? each : best))
}

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { isShortenedNumber, isUtf16 } from '../platform/csv.ts'
import { parseCentimes, parseDecimalAmount, parseIsoTime, splitSign, type TimeParser } from './cells.ts'

export const providerFileColumns = ['key', 'kind', 'amount', 'fee', 'time'] as const
type ColumnName = (typeof providerFileColumns)[number]
const optionalColumns: readonly ColumnName[] = ['kind', 'fee']

export type ProviderFileHeaders = Partial<Record<ColumnName, string>>

export const providerFileDelimiters = { comma: ',', semicolon: ';', tab: '\t' } as const

export interface ProviderFileFormat {
  columns: ProviderFileHeaders
  isDecimal: boolean
  /** If null, times are in ISO 8601. */
  parseTime: TimeParser | null
  /** If null, it's detected from the first line. */
  delimiter: (typeof providerFileDelimiters)[keyof typeof providerFileDelimiters] | null
}

export type PaymentOrRefund = 'payment' | 'refund'

/** Amounts are in centimes. A missing column makes its value null. */
export interface ProviderRow {
  line: number
  key: string
  kind: PaymentOrRefund | null
  amount: number
  fee: number | null
  at: Date
}

/** Messages never repeat a cell, because it may contain a phone number. */
export type ProviderRowErrors = { listed: { line: number; message: string }[]; count: number }

export class UnreadableFile extends Error {}

/** A longer row is most likely missing a closing quote. */
const maxRowLength = 64 * 1024
const maxListedErrors = 20

/** After an invalid row, only checks the rest. Throws UnreadableFile. */
export async function readProviderFile(
  bytes: AsyncIterable<Uint8Array>,
  format: ProviderFileFormat,
  batchSize: number,
  take: (rows: ProviderRow[]) => Promise<void>,
): Promise<ProviderRowErrors> {
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
  const errors: ProviderRowErrors = { listed: [], count: 0 }
  let readRow: RowReader | null = null
  let rows: ProviderRow[] = []
  const takeRecord = async (cells: string[], line: number): Promise<void> => {
    if (cells.every(isBlank)) return
    if (readRow === null) {
      readRow = rowReader(cells, format)
      return
    }
    const row = readRow(cells, line)
    if (typeof row === 'string') {
      errors.count += 1
      if (errors.listed.length < maxListedErrors) errors.listed.push({ line, message: row })
    } else if (errors.count === 0 && rows.push(row) === batchSize) {
      await take(rows)
      rows = []
    }
  }
  await parseAll(Readable.from(whole()), parser, takeRecord)
  if (readRow === null) throw new UnreadableFile('The file is empty.')
  if (errors.count === 0 && rows.length > 0) await take(rows)
  return errors
}

const isBlank = (cell: string): boolean => cell.trim() === ''

/** Drops the 0x1A that DOS programs write at the end of a file. */
async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const advice = 'Save it as CSV in UTF-8.'
  const decode = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined })
    } catch {
      throw new UnreadableFile(`The file is not UTF-8 text. ${advice}`)
    }
  }
  let isFirst = true
  let held = ''
  for await (const piece of bytes) {
    if (isFirst && isUtf16(piece)) throw new UnreadableFile(`The file is UTF-16. ${advice}`)
    isFirst = false
    const text = held + decode(piece)
    let end = text.length
    while (text[end - 1] === '\u001A') end -= 1
    held = text.slice(end)
    yield text.slice(0, end)
  }
  yield decode()
}

/** Reads up to the end of the first line that isn't blank. */
async function readHead(text: AsyncGenerator<string, void, undefined>): Promise<string> {
  let head = ''
  while (!/\S[^\r\n]*[\r\n]/.test(head) && head.length < maxRowLength) {
    const { done, value } = await text.next()
    if (done === true) break
    head += value
  }
  return head
}

function detectDelimiter(head: string) {
  const [line = ''] = head
    .trimStart()
    .replaceAll(/"[^"]*"/g, '')
    .split(/[\r\n]/, 1)
  const countOf = (delimiter: string): number => line.split(delimiter).length
  return Object.values(providerFileDelimiters).reduce((best, each) =>
    countOf(each) > countOf(best) ? each : best,
  )
}

async function parseAll(
  text: Readable,
  parser: ReturnType<typeof parse>,
  take: (cells: string[], line: number) => Promise<void>,
): Promise<void> {
  // If `take` throws, the pipeline may report an abort instead.
  let failure: unknown
  const failed = (error: unknown): never => {
    failure = error
    throw error
  }
  type Parsed = AsyncIterable<{ record: string[]; info: { lines: number } }>
  try {
    await pipeline(text, parser, async (records: Parsed) => {
      for await (const { record, info } of records) await take(record, info.lines).catch(failed)
    })
  } catch (error) {
    if (failure !== undefined) throw failure
    if (!(error instanceof CsvError)) throw error
    throw new UnreadableFile(
      `Line ${String(error['lines'])} is not valid CSV (${error.code}). A quote may be missing, or --delimiter may be wrong.`,
    )
  }
}

function findColumns(header: readonly string[], named: ProviderFileHeaders) {
  const titles = header.map((title) => title.trim())
  const folded = titles.map((title) => title.toLowerCase())
  const positions: Partial<Record<ColumnName, number>> = {}
  for (const name of providerFileColumns) {
    const wanted = named[name] ?? name
    const at = folded.indexOf(wanted.toLowerCase())
    if (at >= 0 && folded.includes(wanted.toLowerCase(), at + 1))
      throw new UnreadableFile(`The file has two columns named "${wanted}".`)
    if (at >= 0) positions[name] = at
    else if (named[name] !== undefined || !optionalColumns.includes(name))
      throw new UnreadableFile(
        `The file has no column "${wanted}" for the ${name}. Its first line is: ${titles.map(shown).join(' | ')}. Name the columns with --columns.`,
      )
  }
  return positions
}

/** A file without a header may begin with a phone number. */
const shown = (title: string): string => (/\d{8}/.test(title) ? '…' : title.slice(0, 40))

/** Agreed with providers (docs/operators/wallet-provider.md). */
const maxKeyLength = 64

/** Returns an error message if the row is invalid. */
type RowReader = (cells: readonly string[], line: number) => ProviderRow | string

function rowReader(header: readonly string[], format: ProviderFileFormat): RowReader {
  const { columns, isDecimal, parseTime } = format
  const positions = findColumns(header, columns)
  const width = header.findLastIndex((title) => !isBlank(title)) + 1
  const readAmount = isDecimal ? parseDecimalAmount : parseCentimes
  const invalidAmount = isDecimal
    ? 'must be an amount with up to two decimals, such as 1234.50 or 1 234,50.'
    : 'must be a whole number of centimes. If it has decimals, use --decimal.'
  return (cells, line) => {
    if (cells.length < width || !cells.slice(header.length).every(isBlank))
      return `has ${cells.length} cells, but the first line has ${header.length}.`
    const cell = (name: ColumnName): string | null => {
      const at = positions[name]
      return at === undefined ? null : (cells[at] ?? '').trim()
    }
    const key = cell('key') ?? ''
    if (key === '' || key.length > maxKeyLength || /[\s\p{C}]/u.test(key))
      return `key: must be 1 to ${maxKeyLength} characters without spaces.`
    if (isShortenedNumber(key))
      return 'key: a spreadsheet shortened it, as in 6.2E+12. Use the file as the provider sent it.'
    // We store keys, but must never store phone numbers.
    if (/^\+?\d{8,15}$/.test(key)) return 'key: looks like a phone number. Check --columns.'
    const at = (parseTime ?? parseIsoTime)(cell('time') ?? '')
    if (at === null)
      return parseTime === null
        ? 'time: must be an ISO 8601 date or date-time. For another form, use --time-format.'
        : 'time: must have the form of --time-format.'
    const { isNegative, digits } = splitSign(cell('amount') ?? '')
    const amount = readAmount(digits)
    if (amount === null) return `amount: ${invalidAmount}`
    const feeCell = cell('fee')
    // A blank fee is 0, so that it differs from a fee recorded here.
    const fee = feeCell === null ? null : readAmount(feeCell === '' ? '0' : feeCell.replace(/^\+/, ''))
    if (feeCell !== null && fee === null) return `fee: ${invalidAmount}`
    const kind = readKind(cell('kind'), isNegative)
    if (kind === 'invalid') return 'kind: must be payment or refund. Payments must not have negative amounts.'
    return { line, key, kind, amount, fee, at }
  }
}

function readKind(text: string | null, isNegative: boolean): PaymentOrRefund | null | 'invalid' {
  if (text === null) return isNegative ? 'refund' : null
  const kind = text.toLowerCase()
  if (kind === 'refund' || (kind === 'payment' && !isNegative)) return kind
  return 'invalid'
}

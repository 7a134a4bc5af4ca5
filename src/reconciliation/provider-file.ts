import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { readInstant } from '../input/instant.ts'

export const providerFileColumns = ['key', 'kind', 'amount', 'fee', 'time'] as const
type ColumnName = (typeof providerFileColumns)[number]
const optionalColumns: readonly ColumnName[] = ['kind', 'fee']

export type ProviderFileHeaders = Partial<Record<ColumnName, string>>

export const providerFileDelimiters = { comma: ',', semicolon: ';', tab: '\t' } as const

export interface ProviderFileFormat {
  columns: ProviderFileHeaders
  isDecimal: boolean
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

async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined })
    } catch {
      throw new UnreadableFile('The file is not UTF-8 text. Save it as CSV in UTF-8.')
    }
  }
  for await (const piece of bytes) yield decode(piece)
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
  const positions: Partial<Record<ColumnName, number>> = {}
  for (const name of providerFileColumns) {
    const wanted = named[name] ?? name
    const at = titles.indexOf(wanted)
    if (at >= 0 && titles.includes(wanted, at + 1))
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

function rowReader(header: readonly string[], { columns, isDecimal }: ProviderFileFormat): RowReader {
  const positions = findColumns(header, columns)
  const readAmount = isDecimal ? parseDecimalAmount : parseCentimes
  const invalidAmount = isDecimal
    ? 'must be an amount with up to two decimals, such as 1234.50 or 1 234,50.'
    : 'must be a whole number of centimes. If it has decimals, use --decimal.'
  return (cells, line) => {
    if (cells.length !== header.length)
      return `has ${cells.length} cells, but the first line has ${header.length}.`
    const cell = (name: ColumnName): string | null => {
      const at = positions[name]
      return at === undefined ? null : (cells[at] ?? '').trim()
    }
    const key = cell('key') ?? ''
    if (key === '' || key.length > maxKeyLength || /[\s\p{C}]/u.test(key))
      return `key: must be 1 to ${maxKeyLength} characters without spaces.`
    // We store keys, but must never store phone numbers.
    if (/^\+?\d{8,15}$/.test(key)) return 'key: looks like a phone number. Check --columns.'
    const at = readInstant((cell('time') ?? '').replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T'), 'start')
    if (at === null) return 'time: must be an ISO 8601 date or date-time.'
    const signed = cell('amount') ?? ''
    const isNegative = signed.startsWith('-')
    const amount = readAmount(isNegative ? signed.slice(1) : signed)
    if (amount === null) return `amount: ${invalidAmount}`
    const feeCell = cell('fee')
    const fee = feeCell === null ? null : readAmount(feeCell)
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

const space = String.raw`[ \u00a0\u202f\u2009]`
const decimals = String.raw`(\d{1,2})`

/** `1,234` alone could mean 1234 or 1.234, so it's refused. */
const forms = [
  String.raw`(\d+)(?:[.,]${decimals})?`,
  String.raw`(\d{1,3}(?:${space}\d{3})+)(?:[.,]${decimals})?`,
  String.raw`(\d{1,3}(?:,\d{3})+)\.${decimals}`,
  String.raw`(\d{1,3}(?:\.\d{3})+),${decimals}`,
].map((form) => new RegExp(`^${form}$`, 'u'))

export const parseCentimes = (text: string): number | null => (/^\d+$/.test(text) ? exact(text) : null)

/** Returns null if the amount would have to be rounded to centimes. */
export function parseDecimalAmount(text: string): number | null {
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

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { readInstant } from '../input/instant.ts'

export const columnNames = ['key', 'kind', 'amount', 'fee', 'time'] as const
type ColumnName = (typeof columnNames)[number]

const optional: readonly ColumnName[] = ['kind', 'fee']

/** As given with `--columns`. */
export type Headers = Partial<Record<ColumnName, string>>

type ColumnPositions = Partial<Record<ColumnName, number>> & Record<'key' | 'amount' | 'time', number>

/**
 * Finds the columns in the header row. Columns that aren't in `named` go by their own names. Returns an error message
 * if a column is missing or occurs twice; only `kind` and `fee` may be missing, and only if they aren't in `named`.
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

/** Hides long digits: a file without a header may begin with a phone number. */
const shown = (title: string): string => (/\d{8}/.test(title) ? '…' : title.slice(0, 40))

/** Between groups of three digits: ordinary, non-breaking, narrow and thin. */
const space = String.raw`[ \u00a0\u202f\u2009]`
const decimals = String.raw`(\d{1,2})`

/** `1,234` alone could be 1 234 or 1.234, so it's refused. With both signs, the one before the decimals is clear. */
const forms = [
  String.raw`(\d+)(?:[.,]${decimals})?`,
  String.raw`(\d{1,3}(?:${space}\d{3})+)(?:[.,]${decimals})?`,
  String.raw`(\d{1,3}(?:,\d{3})+)\.${decimals}`,
  String.raw`(\d{1,3}(?:\.\d{3})+),${decimals}`,
].map((form) => new RegExp(`^${form}$`, 'u'))

/** Null if the text isn't a whole number, or too large to be exact. */
export const readCentimes = (text: string): number | null => (/^\d+$/.test(text) ? exact(text) : null)

/**
 * Returns centimes from up to two decimals, e.g. `1234.50` or `1 234,50`. Null for anything else, and for what we can't
 * represent exactly. Nothing is rounded, because all digits are read as one whole number.
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

/** `fee` and `kind` are null if the file doesn't contain them. */
export interface ProviderRow {
  line: number
  key: string
  kind: MoneyKind | null
  /** In centimes. */
  amount: number
  /** In centimes. */
  fee: number | null
  at: Date
}

/** The message never repeats a cell, which may contain a phone number. */
export interface RowFault {
  line: number
  message: string
}

export interface RowFormat {
  columns: ColumnPositions
  width: number
  /** If false, amounts are in centimes. */
  isDecimal: boolean
}

/** Agreed with providers (docs/operators/wallet-provider.md). */
const maxKeyLength = 64

/** Returns an error message if the row is faulty. */
export function readRow(cells: readonly string[], line: number, format: RowFormat): ProviderRow | string {
  if (cells.length !== format.width)
    return `has ${cells.length} cells, but the first line has ${format.width}.`
  const cell = (name: ColumnName): string | null => {
    const at = format.columns[name]
    return at === undefined ? null : (cells[at] ?? '').trim()
  }
  const key = cell('key') ?? ''
  if (key === '' || key.length > maxKeyLength || /[\s\p{C}]/u.test(key))
    return `key: must be 1 to ${maxKeyLength} characters without spaces.`
  // We store keys, but must never store phone numbers.
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

/** A minus before the amount makes it a refund. */
function readKind(text: string | null, isNegative: boolean): MoneyKind | null | 'faulty' {
  if (text === null) return isNegative ? 'refund' : null
  const kind = text.toLowerCase()
  if (kind !== 'payment' && kind !== 'refund') return 'faulty'
  return isNegative && kind === 'payment' ? 'faulty' : kind
}

export const delimiters = [',', ';', '\t'] as const

/** If `delimiter` is null, the first line decides. */
export interface FileFormat {
  columns: Headers
  isDecimal: boolean
  delimiter: (typeof delimiters)[number] | null
}

/** For faults of the whole file, e.g. a missing column. */
export class FileFault extends Error {}

/** In characters. A longer row is most likely missing a closing quote. */
const maxRowLength = 64 * 1024
/** All are counted, but only this many are listed. */
const maxFaults = 20

export interface RowFaults {
  listed: RowFault[]
  count: number
}

/**
 * Reads a provider's file piece by piece, and passes batches of up to `batchSize` rows to `take`, in order. From the
 * first faulty row on, nothing more is passed, but the rest of the file is still checked. Returns the faulty rows.
 * Throws FileFault if the file as a whole can't be read.
 */
export async function readProviderFile(
  bytes: AsyncIterable<Uint8Array>,
  format: FileFormat,
  batchSize: number,
  take: (rows: ProviderRow[]) => Promise<void>,
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
  let rows: ProviderRow[] = []
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
  // If `take` throws, the pipeline may report an abort instead.
  let failure: unknown
  const failed = (error: unknown): never => {
    failure = error
    throw error
  }
  try {
    await pipeline(
      text,
      parser,
      async (records: AsyncIterable<{ record: string[]; info: { lines: number } }>) => {
        for await (const { record, info } of records) await take(record, info.lines).catch(failed)
      },
    )
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

/** Drops the byte order mark. Throws FileFault if this isn't UTF-8. */
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

/** Reads up to the end of the first line that isn't blank. `text` then yields what follows. */
async function readHead(text: AsyncGenerator<string, void, undefined>): Promise<string> {
  let head = ''
  while (!/\S[^\r\n]*[\r\n]/.test(head) && head.length < maxRowLength) {
    const { done, value } = await text.next()
    if (done === true) break
    head += value
  }
  return head
}

/** Picks the one that occurs most often outside the quotes of the first line. */
function detectDelimiter(head: string): string {
  const [line = ''] = head
    .trimStart()
    .replaceAll(/"[^"]*"/g, '')
    .split(/[\r\n]/, 1)
  const countOf = (delimiter: string): number => line.split(delimiter).length
  return delimiters.reduce((best, each) => (countOf(each) > countOf(best) ? each : best))
}
